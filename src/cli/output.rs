//! Writing answers: to standard output, or to files that are whole or absent.

use std::io::Write as _;
use std::path::Path;

use super::error::{CliError, unreadable};
use super::spoken;
use crate::report::Language;
use crate::report::complaint::complaint;
use crate::report::plot::{PlotError, PlotModel, PlotSize, render_png, render_svg};

/// Formats of plots, by file extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotFormat {
    /// `.svg`
    Svg,
    /// `.png`
    Png,
}

/// Checks the path of a plot before any work starts.
///
/// # Errors
/// Wrong usage: an extension that is neither .svg nor .png, a folder, or a parent folder that does not exist.
pub fn plot_format(path: &Path) -> Result<PlotFormat, CliError> {
    let shown = path.display();
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let format = match extension.as_deref() {
        Some("svg") => PlotFormat::Svg,
        Some("png") => PlotFormat::Png,
        _ => return Err(CliError::usage(format!("--plot: {shown} must end in .svg or .png"))),
    };
    check_target("--plot", path)?;
    Ok(format)
}

/// Checks that a file can be put at a path.
///
/// # Errors
/// Wrong usage: a folder, or a parent folder that does not exist.
pub fn check_target(flag: &str, path: &Path) -> Result<(), CliError> {
    let shown = path.display();
    if path.is_dir() {
        return Err(CliError::usage(format!("{flag}: {shown} is a folder; a file name is expected")));
    }
    let parent = parent(path);
    if !parent.is_dir() {
        let message = format!("{flag}: the folder {} does not exist; create it first", parent.display());
        return Err(CliError::usage(message));
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a whole file: beside its place first, then renamed, so that there is never a part of one.
///
/// # Errors
/// When the file cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let failed = |source| CliError::Io { action: format!("write {}", path.display()), source };
    if path.is_dir() {
        return Err(unreadable(path, std::io::ErrorKind::IsADirectory.into()));
    }
    let mut file = tempfile::NamedTempFile::new_in(parent(path)).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(failed)?;
    allow_others_to_read(file.path()).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Temporary files are private; an answer is an ordinary file.
#[cfg(unix)]
fn allow_others_to_read(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_others_to_read(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Draws a plot into a file, in the format its name says.
///
/// # Errors
/// When it cannot be drawn or written.
pub fn draw(path: &Path, model: &PlotModel, language: Language) -> Result<(), CliError> {
    let size = PlotSize::usual(model);
    let failed = |e: PlotError| CliError::Output(e.to_string());
    match plot_format(path)? {
        PlotFormat::Svg => write_file(path, render_svg(model, language, size).map_err(failed)?.as_bytes()),
        PlotFormat::Png => write_file(path, &render_png(model, language, size).map_err(failed)?),
    }
}

/// Writes an answer to standard output.
///
/// # Errors
/// When the stream fails; a closed pipe is one that the caller takes for success.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    result.map_err(|source| CliError::Io { action: "write to standard output".to_owned(), source })
}

/// Writes a remark to standard error, unless the user wants quiet.
pub fn remark(quiet: bool, text: &str) {
    if !quiet {
        complain(&format!("remark: {text}\n"));
    }
}

/// Longest line on standard error, in characters: a message may quote what the user gave, however long.
const LONGEST_LINE: usize = 2000;

/// The text with over-long lines cut.
fn cut_lines(text: &str) -> String {
    let cut = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{} ...\n", &line[..at]),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(cut).collect()
}

/// Writes to standard error in the reader's language; there is nobody to tell when that fails.
pub fn complain(text: &str) {
    let said = complaint(&cut_lines(text), spoken::language());
    let _ = std::io::stderr().lock().write_all(said.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_must_be_svg_or_png_in_a_folder_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(plot_format(&folder.path().join("a.SVG")).unwrap(), PlotFormat::Svg);
        assert_eq!(plot_format(&folder.path().join("a.png")).unwrap(), PlotFormat::Png);
        assert!(plot_format(&folder.path().join("a.pdf")).is_err());
        assert!(plot_format(&folder.path().join("none/a.png")).is_err());
        std::fs::create_dir(folder.path().join("d.svg")).unwrap();
        assert!(plot_format(&folder.path().join("d.svg")).is_err());
    }

    #[test]
    fn a_message_is_never_longer_than_a_screen() {
        assert_eq!(cut_lines("error: a\nb\n"), "error: a\nb\n");
        let cut = cut_lines(&format!("{}\nb\n", "é".repeat(5000)));
        assert_eq!((cut.chars().count(), cut.ends_with(" ...\nb\n")), (LONGEST_LINE + 7, true));
    }

    #[test]
    fn a_written_file_is_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
