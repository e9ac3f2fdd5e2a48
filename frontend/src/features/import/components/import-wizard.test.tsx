import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import type { ImportReport, ImportRow } from '@/contracts/api';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { ImportWizard } from './import-wizard';

const server = testServer();

function row(effect: ImportRow['effect'], line: number): ImportRow {
  return { file: 'pasted.sql', line, instance: 'PARIS', database: 'Ventes', verb: 'CREATE', object_kind: 'ROUTE', object_name: `R${line}`, effect, text: '' };
}

const report: ImportReport = {
  estate: 'mine',
  is_applied: false,
  revision: null,
  change_set: null,
  sequence: null,
  rows: [row('add', 1), row('add', 2), row('ignored', 3)],
  problems: [],
  warnings: [],
};

async function preview(answer: ImportReport) {
  server.on('POST', '/api/v1/imports', ({ body }) => ({
    body: (body as { dry_run: boolean }).dry_run ? answer : { ...answer, is_applied: true, revision: 1 },
  }));
  const onApplied = vi.fn();
  const user = userEvent.setup();
  render(<ImportWizard suggestedEstate="mine" onApplied={onApplied} />);
  await user.click(screen.getByRole('textbox', { name: 'Or paste T-SQL' }));
  await user.paste('CREATE ROUTE x');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  return { user, onApplied };
}

describe('an import', () => {
  it('shows what each statement would do and changes nothing before it is applied', async () => {
    const { user, onApplied } = await preview(report);
    expect(await screen.findByRole('radio', { name: 'Add 2' })).toBeInTheDocument();
    expect(server.asked.map(({ body }) => (body as { dry_run: boolean }).dry_run)).toEqual([true]);
    await user.click(screen.getByRole('button', { name: 'Apply 2 statements' }));
    await waitFor(() => {
      expect(onApplied).toHaveBeenCalledWith('mine');
    });
  });

  it('cannot be applied while there is a problem, whose place it tells', async () => {
    const notice = { file: 'pasted.sql', line: 4, column: 12, code: 102, detail: "Syntax error near 'WHIT', expected WITH.", why: '', cure: '' };
    await preview({ ...report, problems: [notice] });
    expect(await screen.findByText('pasted.sql, line 4, column 12')).toBeInTheDocument();
    expect(screen.getByText(/Syntax error near 'WHIT'/)).toHaveTextContent('102 ·');
    expect(screen.queryByRole('button', { name: /^Apply/ })).not.toBeInTheDocument();
  });

  it('is looked at again when the scripts were edited after the preview', async () => {
    const { user } = await preview(report);
    await screen.findByRole('button', { name: 'Apply 2 statements' });
    await user.type(screen.getByRole('textbox', { name: 'Or paste T-SQL' }), ' more');
    expect(screen.queryByRole('button', { name: /^Apply/ })).not.toBeInTheDocument();
  });

  it('says which encoding was assumed of a file that does not tell', async () => {
    const { user } = await preview(report);
    await screen.findByRole('button', { name: 'Apply 2 statements' });
    const files = [new File(['DROP ROUTE r'], 'plain.sql'), new File([new Uint8Array([0x2d, 0x2d, 0xe9])], 'old.sql')];
    await user.upload(document.querySelector<HTMLInputElement>('input[type=file]') ?? document.body, files);
    expect((await screen.findByText('old.sql')).closest('li')).toHaveTextContent('Read as Windows-1252');
    expect(screen.getByText('plain.sql').closest('li')).not.toHaveTextContent('Read as');
    await user.click(screen.getByRole('button', { name: 'Preview' }));
    await screen.findByRole('button', { name: 'Apply 2 statements' });
    const asked = server.asked.at(-1)?.body as { files: unknown[] };
    expect(asked.files).toContainEqual({ name: 'old.sql', text: '--é' });
  });

  it('shows the first of very many warnings and how many there are', async () => {
    const warnings = Array.from({ length: 1200 }, (_, index) => ({ file: 'pasted.sql', line: index + 1, detail: 'Assumed.' }));
    await preview({ ...report, warnings });
    expect(await screen.findByText('and 1000 more.')).toBeInTheDocument();
    expect(screen.getAllByText('Assumed.')).toHaveLength(200);
  });

  it('says so when there is nothing to change', async () => {
    await preview({ ...report, rows: [row('same', 1)] });
    expect(await screen.findByText('0 changes: the estate has all of this already.')).toBeInTheDocument();
  });
});
