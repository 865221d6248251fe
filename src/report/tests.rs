//! One document, every format.

use unicode_width::UnicodeWidthStr;

use super::*;

fn fixture() -> Document {
    let table = Table::new(
        vec![
            Column::left("cluster", "cluster"),
            Column::right("time P50", "total_time_p50_s"),
            Column::right("cost P50", "cost_p50_usd"),
            Column::right("显存", "memory_peak_bytes"),
        ],
        [
            Row::highlighted([
                Cell::text("cloud/big.8*4"),
                Cell::number("2 h", 7200.0),
                Cell::exact("1,234 USD", "1234.50"),
                Cell::number("60.0 GiB", 64_424_509_440.0),
            ]),
            Row::new([
                Cell::text("云/small|8, \"x\""),
                Cell::number("5 h", 18_000.0),
                Cell::absent_as("no price"),
                Cell::absent(),
            ]),
        ],
    )
    .titled("A  priced and on sale")
    .noted(["Costs leave out disk and egress."]);
    Document::new(vec![
        Block::heading(1, "Recommendation"),
        Block::fields([("Job", "7B on 300B tokens"), ("假设", "global batch 1024*")]),
        Block::heading(2, "Why"),
        Block::paragraph(
            "The first is faster because it is compute_bound and 单步时间 is short, and not by a tie.",
        ),
        table.into(),
        Block::list(["compute binds", "network unknown"]),
        Block::Rule,
        Block::code(["gpu-advisor simulate --cluster 'cloud/big.8*4'"]),
    ])
}

#[test]
fn a_terminal_gets_aligned_columns_and_wrapped_text() {
    insta::assert_snapshot!(text::render(&fixture(), 60), @r#"
    Recommendation
    ==============
    Job   7B on 300B tokens
    假设  global batch 1024*

    Why
    The first is faster because it is compute_bound and 单步时间
    is short, and not by a tie.
    A  priced and on sale
       cluster          time P50   cost P50      显存
    -- ---------------- --------- ---------- ---------
    >  cloud/big.8*4         2 h  1,234 USD  60.0 GiB
       云/small|8, "x"       5 h   no price         -
      Costs leave out disk and egress.
    - compute binds
    - network unknown
    ------------------------------------------------------------
      gpu-advisor simulate --cluster 'cloud/big.8*4'
    "#);
}

#[test]
fn markdown_gets_the_same_document() {
    insta::assert_snapshot!(markdown::render(&fixture()), @r#"
    # Recommendation

    - **Job**: 7B on 300B tokens
    - **假设**: global batch 1024\*

    ## Why

    The first is faster because it is compute_bound and 单步时间 is short, and not by a tie.

    **A  priced and on sale**

    | cluster | time P50 | cost P50 | 显存 |
    | :-- | --: | --: | --: |
    | **cloud/big.8\*4** | **2 h** | **1,234 USD** | **60.0 GiB** |
    | 云/small\|8, "x" | 5 h | no price | - |

    Costs leave out disk and egress.

    - compute binds
    - network unknown

    ---

    ```text
    gpu-advisor simulate --cluster 'cloud/big.8*4'
    ```
    "#);
}

#[test]
fn csv_gets_the_table_with_machine_keys_and_an_empty_cell_for_the_missing_price() {
    insta::assert_snapshot!(csv::render(&fixture()).unwrap(), @r#"
    cluster,total_time_p50_s,cost_p50_usd,memory_peak_bytes
    cloud/big.8*4,7200,1234.50,64424509440
    "云/small|8, ""x""",18000,,
    "#);
}

#[test]
fn several_tables_in_csv_are_told_apart_by_a_comment_line() {
    let one = Table::new(vec![Column::left("a", "a")], [Row::new([Cell::text("x")])]);
    let document = Document::new(vec![one.clone().titled("first").into(), one.into()]);
    assert_eq!(csv::render(&document).unwrap(), "# first\na\nx\n\n# 2\na\nx\n");
    assert_eq!(csv::render(&Document::default()).unwrap(), "");
}

#[test]
fn no_line_but_code_is_wider_than_the_terminal_and_wide_characters_count_twice() {
    for width in [60, 80, 120] {
        for line in text::render(&fixture(), width).lines() {
            assert!(line.width() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_wide_table_wraps_inside_its_cells() {
    let columns = (0..8).map(|i| Column::left(format!("column {i}"), format!("column_{i}"))).collect();
    let row = Row::new((0..8).map(|_| Cell::text("a cell with rather many words in it")));
    let text = text::render(&Document::new(vec![Table::new(columns, [row]).into()]), 120);
    assert!(text.lines().all(|line| line.width() <= 120), "{text}");
    assert!(text.lines().count() > 3, "{text}");
}

#[test]
fn nothing_is_rendered_as_nothing() {
    assert_eq!(text::render(&Document::default(), 0), "");
    let empty = Document::new(vec![Table::new(Vec::new(), []).into()]);
    assert_eq!(text::render(&empty, 80), "");
}
