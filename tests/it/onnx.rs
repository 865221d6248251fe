//! Networks from ONNX files, written here with the reader's own messages.

use std::process::Command;

use gpu_advisor::catalog::{Catalog, ModelSpec, SampleKind};
use gpu_advisor::workload::onnx::message::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto,
};
use gpu_advisor::workload::{
    Grid, Operator, Workload, convolutional, forward_macs, from_onnx, product_elements,
};
use proptest::prelude::*;
use prost::Message as _;

/// A graph while it is written.
#[derive(Default)]
struct Net {
    graph: GraphProto,
}

impl Net {
    /// An input; negative sides are free and carry a name.
    fn with_input(name: &str, sides: &[i64]) -> Self {
        let mut net = Self::default();
        net.input(name, sides);
        net
    }

    fn input(&mut self, name: &str, sides: &[i64]) {
        self.graph.input.push(value(name, sides));
    }

    fn weight(&mut self, name: &str, sides: &[i64]) -> String {
        let tensor = TensorProto {
            name: name.to_owned(),
            dims: sides.to_vec(),
            data_type: 1,
            ..TensorProto::default()
        };
        self.graph.initializer.push(tensor);
        name.to_owned()
    }

    fn integers(&mut self, name: &str, values: &[i64]) -> String {
        self.graph.initializer.push(TensorProto {
            name: name.to_owned(),
            dims: vec![values.len() as i64],
            data_type: 7,
            int64_data: values.to_vec(),
            ..TensorProto::default()
        });
        name.to_owned()
    }

    /// Adds a node and gives the name of its result.
    fn node(&mut self, kind: &str, inputs: &[&str], settings: &[(&str, &[i64])]) -> String {
        let output = format!("{kind}{}", self.graph.node.len());
        let attribute = settings
            .iter()
            .map(|(name, values)| AttributeProto {
                name: (*name).to_owned(),
                i: values.first().copied().unwrap_or_default(),
                ints: values.to_vec(),
                ..AttributeProto::default()
            })
            .collect();
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(|name| (*name).to_owned()).collect(),
            output: vec![output.clone()],
            name: String::new(),
            op_type: kind.to_owned(),
            attribute,
            domain: String::new(),
        });
        output
    }

    fn convolution(&mut self, from: &str, channels: [i64; 2], kernel: i64, stride: i64) -> String {
        let place = self.graph.node.len();
        let weight = self.weight(&format!("w{place}"), &[channels[1], channels[0], kernel, kernel]);
        let pad = (kernel - 1) / 2;
        let settings: [(&str, &[i64]); 3] = [
            ("kernel_shape", &[kernel, kernel]),
            ("strides", &[stride, stride]),
            ("pads", &[pad, pad, pad, pad]),
        ];
        self.node("Conv", &[from, &weight], &settings)
    }

    fn normalised(&mut self, from: &str, channels: i64) -> String {
        let place = self.graph.node.len();
        let names: Vec<String> = ["scale", "bias", "mean", "variance"]
            .map(|n| self.weight(&format!("{n}{place}"), &[channels]))
            .to_vec();
        let inputs = [from, &names[0], &names[1], &names[2], &names[3]];
        self.node("BatchNormalization", &inputs, &[])
    }

    fn product(&mut self, from: &str, sides: [i64; 2]) -> String {
        let place = self.graph.node.len();
        let weight = self.weight(&format!("w{place}"), &sides);
        let bias = self.weight(&format!("b{place}"), &[sides[1]]);
        let product = self.node("MatMul", &[from, &weight], &[]);
        self.node("Add", &[&bias, &product], &[])
    }

    fn bytes(mut self, output: &str) -> Vec<u8> {
        self.graph.output.push(ValueInfoProto { name: output.to_owned(), r#type: None });
        ModelProto { graph: Some(self.graph) }.encode_to_vec()
    }

    fn read(self, output: &str) -> Result<Workload, Vec<String>> {
        from_onnx("net", self.bytes(output))
    }
}

fn value(name: &str, sides: &[i64]) -> ValueInfoProto {
    let dim = |side: &i64| match *side {
        free if free < 0 => DimensionProto { dim_value: None, dim_param: Some(format!("free{free}")) },
        fixed => DimensionProto { dim_value: Some(fixed), dim_param: None },
    };
    let shape = TensorShapeProto { dim: sides.iter().map(dim).collect() };
    let tensor_type = Some(TensorTypeProto { elem_type: 1, shape: Some(shape) });
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type }) }
}

/// The usual residual network of 50 layers as exporters write it in training mode.
fn residual_network(batch: i64) -> (Net, String) {
    let mut net = Net::with_input("image", &[batch, 3, 224, 224]);
    let stem = net.convolution("image", [3, 64], 7, 2);
    let stem = net.normalised(&stem, 64);
    let stem = net.node("Relu", &[&stem], &[]);
    let window: [(&str, &[i64]); 3] =
        [("kernel_shape", &[3, 3]), ("strides", &[2, 2]), ("pads", &[1, 1, 1, 1])];
    let mut map = net.node("MaxPool", &[&stem], &window);
    let mut channels = 64;
    for (stage, depth) in [3, 4, 6, 3].into_iter().enumerate() {
        let mid = 64 << stage;
        for block in 0..depth {
            let stride = if stage > 0 && block == 0 { 2 } else { 1 };
            let mut branch = map.clone();
            for (pair, kernel, stride) in
                [([channels, mid], 1, 1), ([mid, mid], 3, stride), ([mid, 4 * mid], 1, 1)]
            {
                branch = net.convolution(&branch, pair, kernel, stride);
                branch = net.normalised(&branch, pair[1]);
                if pair[1] == mid {
                    branch = net.node("Relu", &[&branch], &[]);
                }
            }
            if block == 0 {
                map = net.convolution(&map, [channels, 4 * mid], 1, stride);
                map = net.normalised(&map, 4 * mid);
            }
            channels = 4 * mid;
            let sum = net.node("Add", &[&branch, &map], &[]);
            map = net.node("Relu", &[&sum], &[]);
        }
    }
    let pooled = net.node("GlobalAveragePool", &[&map], &[]);
    let flat = net.node("Flatten", &[&pooled], &[("axis", &[1])]);
    let (weight, bias) = (net.weight("fc.weight", &[1000, 2048]), net.weight("fc.bias", &[1000]));
    let output = net.node("Gemm", &[&flat, &weight, &bias], &[("transB", &[1])]);
    (net, output)
}

fn described(id: &str) -> Workload {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    match catalog.find_model(id) {
        Some(ModelSpec::Convolutional { recipe, .. }) => convolutional(id, recipe).expect("it builds"),
        _ => panic!("no network {id}"),
    }
}

/// Elements that the backward pass keeps, elements moved forward and backward, kernels.
fn amounts(workload: &Workload) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for block in [&workload.input, &workload.head].into_iter().chain(&workload.body) {
        let repeat = f64::from(block.repeat);
        sums[0] += repeat * block.saved.iter().map(|s| s.elements).sum::<f64>();
        for operator in &block.operators {
            if let Operator::ElementWise { elements, backward_elements, kernels, .. } = operator {
                sums[1] += repeat * elements;
                sums[2] += repeat * backward_elements;
                sums[3] += repeat * kernels;
            }
        }
    }
    sums
}

fn near(found: f64, expected: f64, share: f64) {
    assert!((found / expected - 1.0).abs() <= share, "{found} for {expected}");
}

#[test]
fn a_residual_network_from_a_file_counts_as_the_catalog_counts_it() {
    let (net, output) = residual_network(1);
    let file = net.read(&output).unwrap();
    let catalog = described("resnet-50");
    assert_eq!(file.parameters, 25_557_032.0);
    assert_eq!(file.parameters, catalog.parameters);
    near(forward_macs(&file), forward_macs(&catalog), 1e-9);
    near(product_elements(&file), product_elements(&catalog), 1e-9);
    for (own, theirs) in amounts(&file).into_iter().zip(amounts(&catalog)) {
        near(own, theirs, 0.01);
    }
    let firsts = |o: &&Operator| matches!(o, Operator::Convolution { first: true, .. });
    let all = [&file.input, &file.head].into_iter().chain(&file.body);
    assert_eq!(all.flat_map(|b| &b.operators).filter(firsts).count(), 1);
    // Sixteen residual blocks behind the stem.
    assert!((16..=20).contains(&file.layers()), "{}", file.layers());
}

#[test]
fn a_batch_in_the_file_is_not_a_part_of_the_sample() {
    let [one, eight, free] = [1, 8, -1].map(|batch| {
        let (net, output) = residual_network(batch);
        net.read(&output).unwrap()
    });
    for other in [eight, free] {
        near(forward_macs(&other), forward_macs(&one), 1e-12);
        assert_eq!((amounts(&other), other.parameters), (amounts(&one), one.parameters));
    }
}

#[test]
fn a_decoder_of_volumes_grows_and_joins_maps() {
    let mut net = Net::with_input("scan", &[-1, 1, 16, 16, 16]);
    let window: [(&str, &[i64]); 2] = [("kernel_shape", &[3, 3, 3]), ("pads", &[1, 1, 1, 1, 1, 1])];
    let first = net.weight("first", &[8, 1, 3, 3, 3]);
    let skip = net.node("Conv", &["scan", &first], &window);
    let half: [(&str, &[i64]); 2] = [("kernel_shape", &[2, 2, 2]), ("strides", &[2, 2, 2])];
    let small = net.node("MaxPool", &[&skip], &half);
    let up = net.weight("up", &[8, 4, 2, 2, 2]);
    let up = net.node("ConvTranspose", &[&small, &up], &half);
    let joined = net.node("Concat", &[&skip, &up], &[("axis", &[1])]);
    let last = net.weight("last", &[2, 12, 1, 1, 1]);
    let output = net.node("Conv", &[&joined, &last], &[("kernel_shape", &[1, 1, 1])]);
    let read = net.read(&output).unwrap();
    // 16^3 x (8 x 27) + 8^3 x (8 x 4 x 8) + 16^3 x (2 x 12).
    assert_eq!(forward_macs(&read), 4096.0 * 216.0 + 512.0 * 256.0 + 4096.0 * 24.0);
    assert_eq!(read.parameters, 216.0 + 256.0 + 24.0);
    assert_eq!(read.samples, SampleKind::Volumes);
    let volumes = [&read.input, &read.head].into_iter().chain(&read.body).flat_map(|b| &b.operators);
    assert_eq!(volumes.filter(|o| matches!(o, Operator::Convolution { over: Grid::Volume, .. })).count(), 2);
}

#[test]
fn a_convolution_over_a_line_is_counted_and_its_samples_are_sequences() {
    let mut net = Net::with_input("signal", &[-1, 2, 100]);
    let weight = net.weight("w", &[8, 2, 5]);
    let settings: [(&str, &[i64]); 3] = [("kernel_shape", &[5]), ("strides", &[2]), ("pads", &[2, 2])];
    let map = net.node("Conv", &["signal", &weight], &settings);
    let active = net.node("Relu", &[&map], &[]);
    let pooled = net.node("GlobalAveragePool", &[&active], &[]);
    let flat = net.node("Flatten", &[&pooled], &[("axis", &[1])]);
    let output = net.product(&flat, [8, 3]);
    let read = net.read(&output).unwrap();
    // 50 places x (8 x 2 x 5), and 8 x 3.
    assert_eq!((forward_macs(&read), read.parameters), (4000.0 + 24.0, 80.0 + 24.0 + 3.0));
    assert_eq!(read.samples, SampleKind::Sequences);
}

/// One layer of an encoder: `heads` of 4, width 8, MLP of 32, over 6 tokens of a vocabulary of 100.
#[test]
fn a_small_encoder_has_the_products_and_weights_of_its_parts() {
    let mut net = Net::default();
    net.input("tokens", &[-1, 6]);
    // Places in a table are whole numbers of 64 bits.
    if let Some(kind) = net.graph.input[0].r#type.as_mut().and_then(|t| t.tensor_type.as_mut()) {
        kind.elem_type = 7;
    }
    let table = net.weight("table", &[100, 8]);
    let rows = net.node("Gather", &[&table, "tokens"], &[("axis", &[0])]);
    let split = net.integers("split", &[0, 6, 2, 4]);
    let [q, k, v] = ["q", "k", "v"].map(|_| {
        let made = net.product(&rows, [8, 8]);
        net.node("Reshape", &[&made, &split], &[])
    });
    let by_head =
        |net: &mut Net, from: &str, order: &[i64]| net.node("Transpose", &[from], &[("perm", order)]);
    let (q, v) = (by_head(&mut net, &q, &[0, 2, 1, 3]), by_head(&mut net, &v, &[0, 2, 1, 3]));
    let k = by_head(&mut net, &k, &[0, 2, 3, 1]);
    let scores = net.node("MatMul", &[&q, &k], &[]);
    let shares = net.node("Softmax", &[&scores], &[("axis", &[-1])]);
    let mixed = net.node("MatMul", &[&shares, &v], &[]);
    let mixed = by_head(&mut net, &mixed, &[0, 2, 1, 3]);
    let joined = net.integers("joined", &[0, 6, 8]);
    let mixed = net.node("Reshape", &[&mixed, &joined], &[]);
    let projected = net.product(&mixed, [8, 8]);
    let sum = net.node("Add", &[&projected, &rows], &[]);
    let norm = |net: &mut Net, from: &str, name: &str| {
        let [scale, bias] = ["scale", "bias"].map(|part| net.weight(&format!("{name}.{part}"), &[8]));
        net.node("LayerNormalization", &[from, &scale, &bias], &[("axis", &[-1])])
    };
    let first = norm(&mut net, &sum, "first");
    let wide = net.product(&first, [8, 32]);
    let wide = net.node("Gelu", &[&wide], &[]);
    let narrow = net.product(&wide, [32, 8]);
    let sum = net.node("Add", &[&narrow, &first], &[]);
    let output = norm(&mut net, &sum, "second");
    let read = net.read(&output).unwrap();
    // Four of 8 x 8, two of 8 x 32, for 6 rows; scores and mixture 2 heads x 6 x 6 x 4 each.
    assert_eq!(forward_macs(&read), 6.0 * (4.0 * 64.0 + 2.0 * 256.0) + 2.0 * (2.0 * 36.0 * 4.0));
    // The table, four 8 x 8 and two 8 x 32 with their biases, two norms of two vectors.
    assert_eq!(read.parameters, 800.0 + 4.0 * 72.0 + (256.0 + 32.0) + (256.0 + 8.0) + 32.0);
    assert_eq!(read.samples, SampleKind::Sequences);
}

#[test]
fn samples_are_called_what_their_sides_make_them() {
    let kind = |sides: &[i64]| {
        let mut net = Net::with_input("x", sides);
        let output = net.product("x", [8, 3]);
        net.read(&output).unwrap().samples
    };
    assert_eq!(kind(&[-1, 8]), SampleKind::Records);
    assert_eq!(kind(&[-1, 20, 8]), SampleKind::Sequences);
    assert_eq!(kind(&[-1, 4, 20, 8]), SampleKind::Samples);
    let (net, output) = residual_network(1);
    assert_eq!(net.read(&output).unwrap().samples, SampleKind::Images);
}

/// An attention layer over 4 positions of width 6, its norm and activation in small steps as old exporters write them.
#[test]
fn norms_and_activations_in_small_steps_are_single_kernels() {
    let mut net = Net::with_input("x", &[1, 4, 6]);
    let number = |net: &mut Net, name: &str| net.weight(name, &[]);
    let (two, tiny) = (number(&mut net, "two"), number(&mut net, "tiny"));
    let mean = net.node("ReduceMean", &["x"], &[("axes", &[-1])]);
    let centred = net.node("Sub", &["x", &mean], &[]);
    let square = net.node("Pow", &[&centred, &two], &[]);
    let variance = net.node("ReduceMean", &[&square], &[("axes", &[-1])]);
    let sum = net.node("Add", &[&variance, &tiny], &[]);
    let root = net.node("Sqrt", &[&sum], &[]);
    let scaled = net.node("Div", &[&centred, &root], &[]);
    let (weight, bias) = (net.weight("norm.weight", &[6]), net.weight("norm.bias", &[6]));
    let scaled = net.node("Mul", &[&scaled, &weight], &[]);
    let normal = net.node("Add", &[&scaled, &bias], &[]);
    let queries = net.product(&normal, [6, 6]);
    let turned = net.node("Transpose", &[&normal], &[("perm", &[0, 2, 1])]);
    let scores = net.node("MatMul", &[&queries, &turned], &[]);
    let shares = net.node("Softmax", &[&scores], &[]);
    let mixed = net.node("MatMul", &[&shares, &normal], &[]);
    let small = net.node("Div", &[&mixed, &two], &[]);
    let erf = net.node("Erf", &[&small], &[]);
    let one = number(&mut net, "one");
    let sum = net.node("Add", &[&erf, &one], &[]);
    let half = number(&mut net, "half");
    let twice = net.node("Mul", &[&mixed, &sum], &[]);
    let output = net.node("Mul", &[&twice, &half], &[]);
    let read = net.read(&output).unwrap();
    // Weights: the norm's two vectors, 6 x 6 and a bias of 6.
    assert_eq!(read.parameters, 12.0 + 42.0);
    // 4 x 6 x 6 for the queries, 4 x 4 x 6 each for scores and mixture.
    assert_eq!(forward_macs(&read), 144.0 + 96.0 + 96.0);
    let names: Vec<&str> = [&read.input, &read.head]
        .into_iter()
        .chain(&read.body)
        .flat_map(|b| &b.operators)
        .filter_map(|o| if let Operator::ElementWise { name, .. } = o { Some(*name) } else { None })
        .collect();
    assert_eq!(names, ["layer norm", "transposition", "softmax", "activation"]);
}

/// `x.view(x.size(0), -1)` as exporters write it.
#[test]
fn shapes_that_are_computed_in_the_file_are_followed() {
    let mut net = Net::with_input("x", &[-1, 3, 4, 5]);
    let shape = net.node("Shape", &["x"], &[]);
    let zero = net.integers("zero", &[0]);
    let batch = net.node("Gather", &[&shape, &zero], &[("axis", &[0])]);
    let rest = net.integers("rest", &[-1]);
    let wanted = net.node("Concat", &[&batch, &rest], &[("axis", &[0])]);
    let flat = net.node("Reshape", &["x", &wanted], &[]);
    let weight = net.weight("w", &[60, 7]);
    let output = net.node("MatMul", &[&flat, &weight], &[]);
    let read = net.read(&output).unwrap();
    assert_eq!((forward_macs(&read), read.parameters), (420.0, 420.0));
}

#[test]
fn tables_and_recurrent_layers_have_their_weights_once() {
    let mut net = Net::with_input("words", &[10, 2]);
    let table = net.weight("table", &[1000, 8]);
    let rows = net.node("Gather", &[&table, "words"], &[("axis", &[0])]);
    let [w, r, b] =
        [("w", [1, 64, 8]), ("r", [1, 64, 16]), ("b", [1, 128, 1])].map(|(n, s)| net.weight(n, &s));
    let output = net.node("LSTM", &[&rows, &w, &r, &b], &[("hidden_size", &[16])]);
    let read = net.read(&output).unwrap();
    assert_eq!(read.parameters, 8000.0 + 64.0 * 24.0 + 128.0);
    // The first side is taken for the batch, 2 steps of each sample follow: 64 x (8 + 16) a step.
    assert_eq!(forward_macs(&read), 2.0 * 1536.0);
}

#[test]
fn every_operator_that_is_not_known_is_named_with_its_count() {
    let mut net = Net::with_input("x", &[1, 3, 8, 8]);
    let map = net.convolution("x", [3, 4], 3, 1);
    let odd = net.node("NonMaxSuppression", &[&map], &[]);
    let odd = net.node("NonMaxSuppression", &[&odd], &[]);
    let last = net.node("Relu", &[&odd], &[]);
    net.node("Loop", &[&map], &[]);
    net.graph.node.last_mut().unwrap().domain = "my.own".to_owned();
    let findings = net.read(&last).unwrap_err();
    assert_eq!(
        findings,
        [
            "operator NonMaxSuppression is not known: 2 in the file, the first is NonMaxSuppression (node 2)",
            "operator my.own::Loop is not known: 1 in the file, the first is my.own::Loop (node 5)",
        ]
    );
}

#[test]
fn free_sizes_and_shapes_that_do_not_fit_are_refused_with_the_reason() {
    let net = Net::with_input("x", &[-1, 3, -2, -2]);
    let findings = net.read("x").unwrap_err();
    assert!(findings[0].contains("no operators"), "{findings:?}");
    let mut net = Net::with_input("x", &[-1, 3, -2, 8]);
    let output = net.node("Relu", &["x"], &[]);
    let findings = net.read(&output).unwrap_err();
    assert_eq!(findings, ["input \"x\": side 3 (free-2) is free; only the batch may be"]);
    let mut net = Net::with_input("x", &[-1, 3, 8, 8]);
    let output = net.convolution("x", [4, 4], 3, 1);
    let findings = net.read(&output).unwrap_err();
    assert_eq!(findings, ["Conv (node 1): a weight for 4 channels over a map of 3"]);
}

fn simulated(file: &std::path::Path) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_gpu-advisor"))
        .args([
            "simulate",
            "--steps",
            "100",
            "--gpu",
            "v100-sxm2-32gb",
            "--gpus",
            "1",
            "--format",
            "json",
            "--model",
        ])
        .arg(file)
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .unwrap()
}

#[test]
fn a_file_is_a_model_on_the_command_line_and_as_fast_as_the_same_in_the_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.onnx");
    let (net, output) = residual_network(-1);
    std::fs::write(&file, net.bytes(&output)).unwrap();
    let answers = [simulated(&file), simulated(std::path::Path::new("resnet-50"))].map(|output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        [answer["step_time_s"].as_f64().unwrap(), answer["memory"]["peak_bytes"].as_f64().unwrap()]
    });
    near(answers[0][0], answers[1][0], 0.01);
    near(answers[0][1], answers[1][1], 0.02);
}

#[test]
fn a_file_of_something_else_is_invalid_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.onnx");
    for content in [&b"not a network"[..], b"", &[0xff; 64]] {
        std::fs::write(&file, content).unwrap();
        let output = simulated(&file);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
    /// Every byte of a small network may be anything.
    #[test]
    fn no_file_makes_the_reader_panic(place in 0_usize..600, byte: u8) {
        let mut net = Net::with_input("x", &[1, 3, 8, 8]);
        let map = net.convolution("x", [3, 4], 3, 1);
        let map = net.normalised(&map, 4);
        let sizes = net.integers("sizes", &[0, -1]);
        let flat = net.node("Reshape", &[&map, &sizes], &[]);
        let last = net.product(&flat, [256, 10]);
        let mut bytes = net.bytes(&last);
        let at = place % bytes.len();
        bytes[at] = byte;
        let _ = from_onnx("net", bytes);
    }
}
