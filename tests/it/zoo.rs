//! Counts of the model zoo against what was published.

use gpu_advisor::catalog::{Catalog, ModelSpec, TransformerSpec};
use gpu_advisor::workload::{
    Operator, active_parameters, convolutional, forward_macs, model_flop_per_row, product_elements,
    transformer, transformer_parameters,
};

/// Tolerance for figures published without rounding and for network recipes that leave biases out.
const HALF_A_PER_CENT: f64 = 0.005;
/// Publications differ in whether they count pooling, normalisation and the last layer, and in the last digit.
const ONE_PER_CENT: f64 = 0.01;

fn disagreement(id: &str, what: &str, counted: f64, published: f64, tolerance: f64) -> Option<String> {
    let error = counted / published - 1.0;
    (error.abs() > tolerance)
        .then(|| format!("{id}: {what} {counted:e}, published {published:e} ({error:+.4})"))
}

#[test]
fn zoo_counts_agree_with_the_published_ones() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let mut compared = 0;
    let mut wrong = Vec::new();
    for model in &catalog.models {
        match model {
            ModelSpec::Transformer {
                id,
                shape,
                published_parameters: Some(published),
                published_tolerance,
                ..
            } => {
                let tolerance = published_tolerance.max(HALF_A_PER_CENT);
                let counted = transformer_parameters(shape) as f64;
                wrong.extend(disagreement(id, "parameters", counted, *published as f64, tolerance));
                compared += 1;
            }
            ModelSpec::Convolutional {
                id,
                recipe,
                published_parameters,
                published_macs,
                published_activations,
                published_tolerance,
                ..
            } => {
                let workload = match convolutional(id, recipe) {
                    Ok(workload) => workload,
                    Err(error) => {
                        wrong.push(format!("{id}: {error}"));
                        continue;
                    }
                };
                let tolerance = published_tolerance.max(ONE_PER_CENT);
                if let Some(published) = published_parameters {
                    let published = *published as f64;
                    let counted = workload.parameters;
                    wrong.extend(disagreement(id, "parameters", counted, published, tolerance));
                    compared += 1;
                }
                if let Some(published) = published_macs {
                    let counted = forward_macs(&workload);
                    wrong.extend(disagreement(id, "forward MACs", counted, *published, tolerance));
                }
                if let Some(published) = published_activations {
                    let counted = product_elements(&workload);
                    wrong.extend(disagreement(id, "activations", counted, *published, tolerance));
                }
            }
            ModelSpec::Transformer { .. } => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 173, "only {compared} models of the zoo have a published count");
}

#[test]
fn the_blocks_of_every_transformer_sum_to_its_count() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    for model in &catalog.models {
        let ModelSpec::Transformer { id, shape, .. } = model else { continue };
        let workload = transformer(id, shape, shape.max_sequence);
        let body: f64 = workload.body.iter().map(|b| f64::from(b.repeat) * b.parameters).sum();
        let sum = workload.input.parameters + body + workload.head.parameters;
        assert_eq!(sum, workload.parameters, "{id}");
        for block in [&workload.input, &workload.head].into_iter().chain(&workload.body) {
            assert!(block.divided_parameters >= 0.0 && block.divided_parameters <= block.parameters, "{id}");
            assert!(block.expert_parameters <= block.divided_parameters, "{id}");
        }
    }
}

fn shape(id: &str) -> TransformerSpec {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    match catalog.find_model(id) {
        Some(ModelSpec::Transformer { shape, .. }) => shape.clone(),
        _ => panic!("no transformer {id}"),
    }
}

/// Publishers round active counts to two digits, and two of them leave the input table out.
const ACTIVE_TOLERANCE: f64 = 0.025;

#[test]
fn active_parameters_agree_with_the_published_ones() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let mut compared = 0;
    for model in &catalog.models {
        let ModelSpec::Transformer { id, shape, published_active_parameters: Some(published), .. } = model
        else {
            continue;
        };
        let counted = active_parameters(shape) as f64;
        let table = f64::from(shape.vocab) * f64::from(shape.hidden);
        let published = *published as f64;
        let near = [counted, counted - table].iter().any(|c| (c / published - 1.0).abs() < ACTIVE_TOLERANCE);
        assert!(near, "{id}: {counted:e}, {published:e} published");
        compared += 1;
    }
    assert_eq!(compared, 14);
}

#[test]
fn a_token_of_the_largest_expert_model_costs_its_37_billion_active_parameters() {
    let shape = shape("deepseek-v3");
    assert_eq!(transformer_parameters(&shape), 671_026_419_200);
    assert_eq!(active_parameters(&shape), 37_552_297_472);
    // Without attention over past tokens: 6 FLOP for each active parameter but those of the input table.
    let flop = model_flop_per_row(&transformer("x", &shape, 1)).get();
    let multiplied = 37_552_297_472.0 - 129_280.0 * 7168.0;
    assert!((flop / (6.0 * multiplied) - 1.0).abs() < 0.01, "{flop:e}");
    // 14.8e12 tokens in 2.664e6 GPU-hours are 343 TFLOP/s per GPU by 6 x 37e9.
    let rate: f64 = 6.0 * 37e9 * 14.8e12 / (2.664e6 * 3600.0);
    assert!((rate / 343e12 - 1.0).abs() < 0.005, "{rate:e}");
    let exact = flop * 14.8e12 / (2.664e6 * 3600.0);
    assert!((exact / 343e12 - 1.0).abs() < 0.02, "{exact:e}");
    // S6: at that rate pre-training is 2.664 of the published 2.788 million hours, 5.576 million USD at 2 USD an hour;
    // all parameters in place of the active ones would make it 18 times as long.
    let hours = flop * 14.8e12 / 343e12 / 3600.0;
    assert!((hours * 2.788 / 2.664 * 2.0 / 5.576e6 - 1.0).abs() < 0.02, "{hours:e}");
    let trap = transformer_parameters(&shape) as f64 / active_parameters(&shape) as f64;
    assert!((trap / 18.0 - 1.0).abs() < 0.02, "{trap}");
}

#[test]
fn a_gated_mlp_of_three_matrices_gives_72_3_billion() {
    let counted = transformer_parameters(&shape("qwen1.5-72b")) as f64;
    assert!((counted / 72.3e9 - 1.0).abs() < 0.005, "{counted:e}");
}

#[test]
fn image_transformers_do_their_published_multiply_accumulates() {
    // Published for 224 x 224: 17.6 G, 61.6 G.
    for (id, giga) in [("vit-b16", 17.6), ("vit-l16", 61.6)] {
        let shape = shape(id);
        let macs = forward_macs(&transformer(id, &shape, shape.max_sequence)) * 1e-9;
        assert!((macs / giga - 1.0).abs() < 0.01, "{id}: {macs}");
    }
}

fn network(id: &str) -> gpu_advisor::workload::Workload {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    match catalog.find_model(id) {
        Some(ModelSpec::Convolutional { recipe, .. }) => convolutional(id, recipe).expect("a network"),
        _ => panic!("no network {id}"),
    }
}

#[test]
fn a_latent_diffusion_network_does_its_published_work_beside_its_attention_scores() {
    let workload = network("latent-diffusion-unet");
    let scores: f64 = [&workload.input, &workload.head]
        .into_iter()
        .chain(&workload.body)
        .flat_map(|block| block.operators.iter().map(move |o| (f64::from(block.repeat), o)))
        .map(|(times, operator)| match *operator {
            Operator::SampleProduct { count, rows, inputs, outputs, weighted: false, .. } => {
                times * count * rows * inputs * outputs
            }
            _ => 0.0,
        })
        .sum();
    // Five layers over 64 x 64 places and 320 channels: 5 x 2 x 4096 x 4096 x 320 are 54 G of the scores alone.
    assert!((scores * 1e-9 / 62.0 - 1.0).abs() < 0.02, "{scores:e}");
    // Counters of operators that see convolutions and layers with weights tell 339 G.
    let rest = (forward_macs(&workload) - scores) * 1e-9;
    assert!((rest / 339.0 - 1.0).abs() < 0.01, "{rest}");
}

#[test]
fn a_birds_eye_network_does_its_published_work_beside_its_deformable_kernels() {
    // Six cameras: 23 kernels of 256 channels over 58 x 100 places, 3 of 512 over 29 x 50.
    let places: f64 = 6.0 * 58.0 * 100.0;
    let deformable: f64 = 9.0 * (23.0 * 256.0 * 256.0 * places + 3.0 * 512.0 * 512.0 * places / 4.0);
    assert!((deformable * 1e-9 - 534.0).abs() < 1.0, "{deformable:e}");
    // Published: 1303.5 G, of which norms and activations are about 9 G.
    let rest = (forward_macs(&network("bevformer-base")) - deformable) * 1e-9;
    assert!((rest / (1303.5 - 9.0) - 1.0).abs() < 0.01, "{rest}");
}

#[test]
fn every_shape_of_the_zoo_has_tensors_to_keep_at_every_layer() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    for model in &catalog.models {
        let ModelSpec::Transformer { id, shape, .. } = model else { continue };
        for block in &transformer(id, shape, 1024).body {
            let kept: f64 = block.saved.iter().map(|t| t.bytes_per_row(2.0, 1024.0, true)).sum();
            let width = f64::from(shape.hidden);
            assert!((8.0 * width..2000.0 * width).contains(&kept), "{id}, {}: {kept}", block.name);
        }
    }
}
