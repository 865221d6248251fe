//! Progress bars: `Epoch 0:  45%|####      | 20/44 [00:10<00:12,  2.00it/s, v_num=0]`.

use super::{lines, number};

struct Bar {
    /// Iterations to do.
    total: u64,
    /// Iterations done.
    done: u64,
    /// Seconds of one.
    seconds: f64,
}

/// Seconds of an iteration at each state of the longest bar; bars of other totals are of loading or validation.
pub(super) fn seconds(text: &str) -> Vec<f64> {
    let bars: Vec<Bar> = lines(text).filter_map(bar).collect();
    let longest =
        bars.iter().max_by(|a, b| (a.done as f64 * a.seconds).total_cmp(&(b.done as f64 * b.seconds)));
    let total = longest.map(|bar| bar.total);
    bars.iter().filter(|bar| Some(bar.total) == total).map(|bar| bar.seconds).collect()
}

fn bar(line: &str) -> Option<Bar> {
    let head = line.trim_start();
    // A bar of training has no name, or that of its epoch.
    if !(head.starts_with("Epoch") || head.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let (drawn, state) = line.rsplit_once('[')?;
    let (done, total) = drawn.rsplit('|').next()?.trim().split_once('/')?;
    let rate = state.split(',').find(|part| part.contains("it/s") || part.contains("s/it"))?;
    let value = number(rate)?;
    let seconds = if rate.contains("s/it") { value } else { 1.0 / value };
    Some(Bar { total: total.parse().ok()?, done: done.parse().ok()?, seconds })
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn the_longest_bar_tells_the_time_of_an_iteration() {
        let log = "Sanity Checking DataLoader 0: 100%|##| 2/2 [00:00<00:00,  9.00it/s]\n\
                   Epoch 0:   5%|#    | 2/44 [00:02<00:40,  1.00it/s, v_num=0]\r\
                   Epoch 0:  45%|#### | 20/44 [00:10<00:12,  2.00it/s, v_num=0]\r\
                   Validation DataLoader 0: 50%|## | 5/10 [00:01<00:01,  5.00it/s]\r\
                   Epoch 0: 100%|#####| 44/44 [00:22<00:00,  2.00it/s, v_num=0]\n";
        assert_eq!(seconds(log), [1.0, 0.5, 0.5]);
        let slow = " 17%|##        | 10/60 [00:30<02:30,  3.00s/it]\r100%|##| 5/5 [00:01<00:00,  5.00it/s]\n";
        assert_eq!(seconds(slow), [3.0]);
        for odd in ["  0%|          | 0/44 [00:00<?, ?it/s]", "3/4", "[1,2it/s", "Epoch 7", ""] {
            assert!(seconds(odd).is_empty(), "{odd}");
        }
    }
}
