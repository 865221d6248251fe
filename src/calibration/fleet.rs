//! Calibrating a cluster with the engine it already has: a Slurm script, a Kubernetes manifest.

/// The label that Kubernetes gives the pods of a job, different for each job.
const UID_OF_THE_JOB: &str = "metadata.labels['controller-uid']";

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetJob {
    /// Nodes.
    pub nodes: u32,
    /// GPUs of a node.
    pub gpus_per_node: u32,
    /// `provider/name`, for the profile.
    pub instance: Option<String>,
    /// Catalog id of the GPU, where its name does not tell.
    pub gpu: Option<String>,
    /// Folder that all nodes share.
    pub folder: String,
    /// Container image, for Kubernetes.
    pub image: String,
    /// Claim of the shared volume, for Kubernetes.
    pub claim: String,
    /// More arguments of `calibrate run`.
    pub arguments: String,
}

impl FleetJob {
    /// What every command is told of the machine.
    fn machine(&self) -> String {
        let flag = |name: &str, value: &Option<String>| {
            value.as_ref().map_or_else(String::new, |v| format!(" --{name} {}", quoted(v)))
        };
        flag("instance", &self.instance) + &flag("gpu", &self.gpu)
    }

    /// True when nodes can be measured together.
    const fn has_collectives(&self) -> bool {
        self.nodes > 1 && self.gpus_per_node > 0
    }

    fn run(&self, node: &str) -> String {
        let machine = self.machine();
        let arguments =
            if self.arguments.is_empty() { String::new() } else { format!(" {}", self.arguments) };
        format!(
            "calibrate run --quiet --node \"{node}\"{machine}{arguments} --output \"$folder/{node}.toml\" --trace \"$folder/{node}.jsonl\""
        )
    }

    /// One rank of the collectives between nodes; `place` is what the launcher does not tell by itself.
    fn collectives(&self, place: &str) -> String {
        let machine = self.machine();
        format!(
            "calibrate collectives --quiet --ranks-per-node {}{place}{machine} --rendezvous \"$folder/rendezvous\" --output \"$folder/collectives.toml\"",
            self.gpus_per_node
        )
    }

    /// The step of a batch script in which the GPUs of all nodes work together.
    fn slurm_collectives(&self) -> String {
        if !self.has_collectives() {
            return String::new();
        }
        let (per_node, all) = (self.gpus_per_node, self.nodes * self.gpus_per_node);
        let collectives = self.collectives("");
        format!(
            "# Every GPU is a rank: collectives between the nodes. Without them the profiles still count.\n\
             timeout 360 srun --ntasks={all} --ntasks-per-node={per_node} --distribution=block --kill-on-bad-exit=1 bash -c '\"$program\" {collectives}' || echo \"no collectives between nodes\" >&2\n"
        )
    }

    /// A batch script: the program once a node, then once a GPU for what nodes do together, then one merge.
    pub fn slurm(&self) -> String {
        let Self { nodes, gpus_per_node, folder, .. } = self;
        let folder = quoted(folder);
        let run = self.run("$SLURMD_NODENAME");
        let collectives = self.slurm_collectives();
        let (tasks, minutes) = if self.has_collectives() { (*gpus_per_node, 20) } else { (1, 10) };
        let gpus = if *gpus_per_node > 0 {
            format!("#SBATCH --gpus-per-node={gpus_per_node}\n")
        } else {
            String::new()
        };
        format!(
            "#!/bin/bash\n\
             #SBATCH --job-name=gpu-advisor-calibrate\n\
             #SBATCH --nodes={nodes}\n\
             #SBATCH --ntasks-per-node={tasks}\n\
             {gpus}\
             #SBATCH --exclusive\n\
             #SBATCH --time=00:{minutes}:00\n\
             # Measures every node once and merges the profiles. The folder must be shared by all nodes.\n\
             set -euo pipefail\n\
             export program=\"${{GPU_ADVISOR:-gpu-advisor}}\"\n\
             export folder={folder}/${{SLURM_JOB_ID:-run}}\n\
             mkdir -p \"$folder\"\n\
             # A node that fails leaves no profile; the others still count.\n\
             srun --ntasks={nodes} --ntasks-per-node=1 --kill-on-bad-exit=0 bash -c '\"$program\" {run}' || echo \"some nodes failed\" >&2\n\
             {collectives}\
             \"$program\" calibrate merge \"$folder\"/*.toml --output \"$folder/merged-profile\"\n\
             mv \"$folder/merged-profile\" \"$folder/merged.toml\"\n"
        )
    }

    /// What a pod runs after its own measurement: one process for each of its GPUs.
    fn kubernetes_collectives(&self) -> String {
        if !self.has_collectives() {
            return String::new();
        }
        let (per_node, all) = (self.gpus_per_node, self.nodes * self.gpus_per_node);
        let rank = format!(
            " --rank $((JOB_COMPLETION_INDEX * {per_node} + local)) --world-size {all} --local-rank $local --wait 600"
        );
        // The folder outlives a job, the name of the meeting does not.
        let collectives = self.collectives(&rank).replace("/rendezvous\"", "/rendezvous-$RUN_ID\"");
        format!(
            "; local=0; while [ $local -lt {per_node} ]; do gpu-advisor {collectives} & local=$((local+1)); done; wait"
        )
    }

    /// A manifest (JSON, which `kubectl apply -f` takes): an indexed job with one pod a node, and a job that merges
    /// when all profiles are there.
    ///
    /// # Errors
    /// Never with the values above; a failure of the JSON writer is passed on.
    pub fn kubernetes(&self) -> Result<String, serde_json::Error> {
        let folder = quoted(&self.folder);
        let run = self.run("$NODE_NAME");
        let together = self.kubernetes_collectives();
        let measure = format!("set -eu; folder={folder}; mkdir -p \"$folder\"; gpu-advisor {run}{together}");
        // One file each, and one of them all.
        let files = self.nodes + u32::from(self.has_collectives());
        let merge = format!(
            "set -eu; folder={folder}; tries=0; \
             while [ \"$(ls \"$folder\"/*.toml 2>/dev/null | wc -l)\" -lt {files} ] && [ $tries -lt 120 ]; \
             do tries=$((tries+1)); sleep 5; done; \
             gpu-advisor calibrate merge \"$folder\"/*.toml --output \"$folder/merged-profile\""
        );
        let container = |name: &str, script: &str, gpus: u32| {
            let mut container = serde_json::json!({
                "name": name,
                "image": self.image,
                "command": ["sh", "-c", script],
                "env": [
                    {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    {"name": "RUN_ID", "valueFrom": {"fieldRef": {"fieldPath": UID_OF_THE_JOB}}},
                ],
                "volumeMounts": [{"name": "profiles", "mountPath": self.folder}],
            });
            if gpus > 0 {
                container["resources"] = serde_json::json!({"limits": {"nvidia.com/gpu": gpus}});
            }
            container
        };
        let job = |name: &str, count: u32, container: serde_json::Value, spread: bool| {
            let mut pod = serde_json::json!({
                "restartPolicy": "Never",
                "containers": [container],
                "volumes": [{"name": "profiles", "persistentVolumeClaim": {"claimName": self.claim}}],
            });
            if spread {
                pod["affinity"] = serde_json::json!({"podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [{
                        "labelSelector": {"matchLabels": {"app": name}},
                        "topologyKey": "kubernetes.io/hostname",
                    }],
                }});
            }
            serde_json::json!({
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": name},
                "spec": {
                    "completions": count,
                    "parallelism": count,
                    "completionMode": "Indexed",
                    "backoffLimit": 0,
                    "template": {"metadata": {"labels": {"app": name}}, "spec": pod},
                },
            })
        };
        let measuring = container("measure", &measure, self.gpus_per_node);
        let list = serde_json::json!({
            "apiVersion": "v1",
            "kind": "List",
            "items": [
                job("gpu-advisor-calibrate", self.nodes, measuring, true),
                job("gpu-advisor-merge", 1, container("merge", &merge, 0), false),
            ],
        });
        Ok(serde_json::to_string_pretty(&list)? + "\n")
    }
}

/// A word for a shell, in single quotes where it needs them; a quote inside is left out.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("\"{}\"", text.chars().filter(|c| !"\"'`$\\\n".contains(*c)).collect::<String>())
}
