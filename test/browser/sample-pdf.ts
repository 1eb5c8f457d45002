// PDFs for tests (ISO 32000).

/** With a script that would be run by viewers, and as many pages as there are texts. */
export function makePdf(...texts: string[]): Buffer {
  const pages = texts.map((_, index) => `${5 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /OpenAction 3 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${texts.length} >>`,
    '<< /S /JavaScript /JS (app.alert\\("it runs"\\); app.launchURL\\("https://evil.example/"\\)) >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => {
      const drawn = `BT /F1 24 Tf 50 100 Td (${text}) Tj ET`;
      const resources = '/Resources << /Font << /F1 4 0 R >> >>';
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${6 + 2 * index} 0 R ${resources} >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer << /Size ${size} /Root 1 0 R >>`;
  return Buffer.from(`${file}${table}\nstartxref\n${file.length}\n%%EOF`);
}
