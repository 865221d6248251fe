//! Counts of the model zoo against what was published.

use gpu_advisor::catalog::{Catalog, ModelSpec};
use gpu_advisor::workload::{
    convolutional, forward_macs, product_elements, transformer, transformer_parameters,
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
    assert!(compared >= 80, "only {compared} models of the zoo have a published count");
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
        for block in [&workload.input, &workload.body[0], &workload.head] {
            assert!(block.divided_parameters >= 0.0 && block.divided_parameters <= block.parameters, "{id}");
        }
    }
}
