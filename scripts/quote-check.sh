#!/usr/bin/env bash
# Looks at quotes as a customer does: opens the workbook in LibreOffice and compares the recalculated totals, renders
# PDF and HTML to PNG for a person to look at. Beside the gate, not part of it: it installs what it needs (as root, by
# apt-get) and needs the network for that. Usage: scripts/quote-check.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
out="${1:-target/quote-check}"
mkdir -p "$out"

missing=()
command -v soffice >/dev/null || missing+=(libreoffice-calc)
command -v pdftoppm >/dev/null || missing+=(poppler-utils)
command -v chromium >/dev/null || missing+=(chromium fonts-noto-cjk)
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

cargo build --quiet
book=reports/sample-book.toml
quote() {
  target/debug/gpu-advisor quote --quiet --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --hours 9d \
    --price-book "$book" --currency CNY --customer '上海示例科技有限公司' --as-of 2026-11-30 "$@"
}
# A job with alternatives, ways to buy and plots, and its cost report.
job() {
  target/debug/gpu-advisor "$1" --quiet --model resnet-50 --dataset imagenet-1k --epochs 90 \
    --cluster aws/p4d.24xlarge@us-east-1:1 --as-of 2026-11-30 "${@:2}"
}
for language in en zh; do
  for format in xlsx html pdf md json; do
    quote --lang "$language" --out "$out/$language.$format"
  done
  quote --lang "$language" --internal --out "$out/$language-internal.xlsx"
  for format in html pdf; do
    job quote --alternative aws/p3dn.24xlarge@us-east-1:1 --budgetary --customer '上海示例科技有限公司' \
      --lang "$language" --out "$out/$language-job.$format"
    job simulate --energy default --report "$out/$language-report.$format" --lang "$language" >/dev/null
  done
done

# The stored results are taken out of the workbook first, so what is compared was computed by LibreOffice.
filter='csv:Text - txt - csv (StarCalc):44,34,76,1'
for file in en zh en-internal zh-internal; do
  python3 - "$out/$file.xlsx" "$out/$file-bare.xlsx" <<'PYTHON'
import re, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
    for part in old.namelist():
        data = old.read(part)
        if part.startswith("xl/worksheets/"):
            data, count = re.subn(rb"</f><v>[^<]*</v>", b"</f>", data)
            print(f"{part}: {count} stored results taken out")
        new.writestr(part, data)
PYTHON
  soffice --headless --convert-to "$filter" --outdir "$out/recalculated" "$out/$file-bare.xlsx" >/dev/null 2>&1
  for amount in 43,200.00 38,016.00 950.00 38,966.00 2,337.96 41,303.96; do
    grep -qF -- "$amount" "$out/recalculated/$file-bare.csv" || { echo "$file.xlsx: $amount is missing"; exit 1; }
  done
done
soffice --headless --convert-to pdf --outdir "$out" "$out/zh-internal-bare.xlsx" >/dev/null 2>&1
pdftoppm -r 80 -png "$out/zh-internal-bare.pdf" "$out/zh-internal-xlsx"
for name in en zh en-job zh-job en-report zh-report; do
  pdftoppm -r 80 -png "$out/$name.pdf" "$out/$name-pdf"
  chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer \
    --print-to-pdf="$out/$name-html.pdf" "file://$(realpath "$out/$name.html")" >/dev/null 2>&1
  pdftoppm -r 80 -png "$out/$name-html.pdf" "$out/$name-html"
done
for language in en zh; do
  pdftotext "$out/$language.pdf" - | grep -q '41,303.96' || { echo "$language.pdf: no total"; exit 1; }
  # 20 % below list is the cost, 3,606.00 the margin: neither is in what the customer gets.
  for secret in 3,606.00 35,360.00 'price list 7'; do
    ! pdftotext "$out/$language.pdf" - | grep -qF -- "$secret" || { echo "$language.pdf: holds $secret"; exit 1; }
  done
done
pdffonts "$out/zh.pdf"
echo "totals agree; look at $out/*.png"
