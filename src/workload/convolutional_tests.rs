use super::*;
use crate::catalog::Padding;
use crate::workload::convolution_unit::{plain, square};
use crate::workload::{forward_macs, product_elements};

fn stage(repeat: u32, mid: u32, stride: u32, groups: u32, out: u32) -> ConvolutionalLayer {
    ConvolutionalLayer::Bottleneck { repeat, mid, out, stride, groups, squeeze: None, early_stride: false }
}

fn max_pool(kernel: u32, stride: u32) -> ConvolutionalLayer {
    let (kernel, stride) = (square(kernel), square(stride));
    ConvolutionalLayer::Pool { average: false, kernel, stride, padding: Padding::Half }
}

fn linear(out: u32) -> ConvolutionalLayer {
    ConvolutionalLayer::Linear { out, activation: false }
}

fn image(channels: u32, side: u32, layers: Vec<ConvolutionalLayer>) -> ConvolutionalSpec {
    ConvolutionalSpec {
        samples: SampleKind::Images,
        sizes_vary: false,
        implements: None,
        channels,
        input: [1, side, side],
        dimensions: 2,
        tokens: None,
        assumed: None,
        layers,
    }
}

fn convolution(out: u32, kernel: u32, stride: u32) -> ConvolutionalLayer {
    ConvolutionalLayer::Convolution(plain(out, kernel, stride, 1))
}

/// Residual network with 50-layer proportions, or its 32-group variants, from the stage depths and inner widths.
fn residual_network(depths: [u32; 4], mid: u32, groups: u32) -> ConvolutionalSpec {
    let mut layers = vec![convolution(64, 7, 2), max_pool(3, 2)];
    for (i, depth) in depths.into_iter().enumerate() {
        let stride = if i == 0 { 1 } else { 2 };
        layers.push(stage(depth, mid << i, stride, groups, 256 << i));
    }
    layers.push(ConvolutionalLayer::GlobalAveragePool);
    layers.push(linear(1000));
    image(3, 224, layers)
}

fn convolution_outputs(workload: &Workload) -> (f64, f64) {
    let blocks =
        std::iter::once(&workload.input).chain(&workload.body).chain(std::iter::once(&workload.head));
    let mut total = (0.0, 0.0);
    for block in blocks {
        for operator in &block.operators {
            if let Operator::Convolution { outputs, output_positions, .. } = operator {
                total.0 += f64::from(block.repeat);
                total.1 += f64::from(block.repeat) * outputs * output_positions;
            }
        }
    }
    total
}

#[test]
fn resnet_50_has_its_published_parameters_macs_and_activations() {
    let workload = convolutional("ResNet-50", &residual_network([3, 4, 6, 3], 64, 1)).unwrap();
    assert_eq!(workload.parameters, 25_557_032.0);
    let giga_macs = forward_macs(&workload) * 1e-9;
    assert!((giga_macs / 4.09 - 1.0).abs() < 0.01, "{giga_macs}");
    let (count, elements) = convolution_outputs(&workload);
    assert_eq!(count, 53.0);
    assert!((elements * 1e-6 - 11.11).abs() < 0.005, "{elements}");
    assert_eq!(product_elements(&workload), elements + 1000.0);
    assert_eq!(workload.layers(), 16);
}

#[test]
fn deeper_and_grouped_networks_have_their_published_sizes() {
    for (depths, mid, groups, parameters, macs) in
        [([3, 8, 36, 3], 64, 1, 60.19, 11.56), ([3, 4, 23, 3], 128, 32, 44.18, 7.97)]
    {
        let workload = convolutional("x", &residual_network(depths, mid, groups)).unwrap();
        assert!((workload.parameters * 1e-6 - parameters).abs() < 0.01, "{}", workload.parameters);
        let giga_macs = forward_macs(&workload) * 1e-9;
        assert!((giga_macs / macs - 1.0).abs() < 0.01, "{giga_macs}");
    }
}

#[test]
fn a_plain_network_flattens_its_map_into_the_first_linear_layer() {
    let mut layers = Vec::new();
    for (repeat, out) in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)] {
        layers.extend((0..repeat).map(|_| convolution(out, 3, 1)));
        layers.push(max_pool(2, 2));
    }
    layers.extend([4096, 4096, 1000].map(linear));
    let spec = image(3, 224, layers);
    let workload = convolutional("VGG-16", &spec).unwrap();
    // Published 138.36 M has biases where this has the two vectors of a batch norm.
    assert!((workload.parameters * 1e-6 - 138.37).abs() < 0.01, "{}", workload.parameters);
    assert!((forward_macs(&workload) * 1e-9 / 15.47 - 1.0).abs() < 0.01);
}

#[test]
fn only_the_first_convolution_needs_no_input_gradient() {
    let workload = convolutional("x", &residual_network([3, 4, 6, 3], 64, 1)).unwrap();
    let firsts = |block: &Block| {
        block.operators.iter().filter(|o| matches!(o, Operator::Convolution { first: true, .. })).count()
    };
    assert_eq!(firsts(&workload.input), 1);
    assert_eq!(workload.body.iter().map(firsts).sum::<usize>(), 0);
}

#[test]
fn about_two_tensors_are_kept_for_each_convolution() {
    let workload = convolutional("x", &residual_network([3, 4, 6, 3], 64, 1)).unwrap();
    let kept = |block: &Block| f64::from(block.repeat) * block.saved.iter().map(|s| s.elements).sum::<f64>();
    let total = kept(&workload.input) + workload.body.iter().map(kept).sum::<f64>() + kept(&workload.head);
    let ratio = total / convolution_outputs(&workload).1;
    assert!((1.7..2.1).contains(&ratio), "{ratio}");
}

#[test]
fn every_bad_layer_is_found_at_once() {
    let layers = vec![
        convolution(64, 3, 0),
        max_pool(0, 2),
        stage(0, 64, 1, 1, 256),
        stage(1, 64, 1, 7, 256),
        linear(0),
        linear(10),
        convolution(64, 3, 1),
    ];
    let spec = image(3, 32, layers);
    let Err(WorkloadError::Recipe(findings)) = convolutional("x", &spec) else { panic!("accepted") };
    assert_eq!(findings.len(), 6, "{findings:?}");
    assert!(findings[0].starts_with("layer 1: kernel 3 and stride 0"));
    assert!(findings[5].starts_with("layer 7: follows a fully connected layer"));
}

#[test]
fn an_empty_recipe_is_refused() {
    let spec = image(0, 32, Vec::new());
    let Err(WorkloadError::Recipe(findings)) = convolutional("x", &spec) else { panic!("accepted") };
    assert_eq!(findings.len(), 2);
}

/// An 8 x 8 image: 3 -> 4 channels frozen (64 x 3 x 4 = 768 MACs), 4 -> 2 trained (64 x 4 x 2 = 512), two classes (4).
#[test]
fn frozen_layers_run_forward_alone_and_train_nothing() {
    let first = ConvolutionalLayer::Frozen { layers: vec![convolution(4, 1, 1)], beside: false };
    let rest = [convolution(2, 1, 1), ConvolutionalLayer::GlobalAveragePool, linear(2)];
    let layers = std::iter::once(first).chain(rest.clone()).collect();
    let workload = convolutional("half", &image(3, 8, layers)).unwrap();
    assert_eq!(forward_macs(&workload), 768.0 + 512.0 + 4.0);
    // Weights 12 and a norm's 8 frozen; 8 + 4 and 4 + 2 trained.
    assert_eq!(workload.parameters, 20.0 + 12.0 + 6.0);
    let blocks = std::iter::once(&workload.input).chain(&workload.body).chain([&workload.head]);
    assert_eq!(blocks.map(|b| b.frozen_parameters).sum::<f64>(), 20.0);
    // Forward alone; forward and weight gradient of the first trained one; all three passes of the classes.
    let flop = crate::workload::model_flop_per_row(&workload).get();
    assert_eq!(flop, 2.0 * (768.0 + 2.0 * 512.0 + 3.0 * 4.0));
    let behind = rest
        .into_iter()
        .chain([ConvolutionalLayer::Frozen { layers: vec![linear(2)], beside: false }])
        .collect();
    let refused = convolutional("cut", &image(3, 8, behind)).unwrap_err().to_string();
    assert!(refused.contains("before all that are trained"), "{refused}");
    let nested = vec![ConvolutionalLayer::Residual {
        layers: vec![ConvolutionalLayer::Frozen { layers: vec![convolution(3, 1, 1)], beside: false }],
    }];
    let refused = convolutional("nested", &image(3, 8, nested)).unwrap_err().to_string();
    assert!(refused.contains("top level"), "{refused}");
}
