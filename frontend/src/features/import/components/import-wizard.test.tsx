import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { ImportReport, ImportRow } from '@/contracts/api';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { ImportWizard } from './import-wizard';

const server = testServer();

function row(effect: ImportRow['effect'], line: number): ImportRow {
  return {
    file: 'pasted.sql',
    line,
    instance: 'PARIS',
    database: 'Ventes',
    verb: 'CREATE',
    object_kind: 'ROUTE',
    object_name: `R${line}`,
    effect,
    text: '',
  };
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
  backlogs: [],
};

type Asked = { dry_run: boolean; change_set: unknown; files: { name: string; left_out: number[] }[] };

async function preview(answer: ImportReport, estates: string[] = []) {
  server.on('GET', '/api/v1/estates/mine/change-sets', () => ({ body: { items: [], count: 0 } }));
  server.on('POST', '/api/v1/imports', ({ body }) => {
    const asked = body as Asked;
    if (!asked.dry_run) {
      return { body: { ...answer, is_applied: true, revision: 1, change_set: asked.change_set === 'new' ? 7 : null } };
    }
    const isLeftOut = asked.files.some((file) => file.left_out.length > 0);
    return { body: isLeftOut ? { ...answer, problems: [] } : answer };
  });
  const user = userEvent.setup();
  render(<ImportWizard estates={estates} suggestedEstate="mine" />);
  await user.click(screen.getByRole('textbox', { name: 'Or paste T-SQL' }));
  await user.paste('CREATE ROUTE x');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  return { user };
}

describe('an import', () => {
  it('shows what each statement would do and makes the new estate only then', async () => {
    const { user } = await preview(report);
    expect(await screen.findByRole('radio', { name: 'Add 2' })).toBeInTheDocument();
    expect(server.asked.filter(({ method }) => method === 'POST').map(({ body }) => (body as Asked).dry_run)).toEqual([
      true,
    ]);
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByRole('heading', { name: 'The estate mine is made.' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Open the topology' })).toHaveAttribute('href', '/estates/mine/topology');
  });

  it('goes into a new draft of an estate that there is, never into what is live', async () => {
    const { user } = await preview(report, ['mine']);
    await user.click(await screen.findByRole('button', { name: 'Continue' }));
    expect(await screen.findByRole('link', { name: 'Review the changes' })).toHaveAttribute(
      'href',
      '/estates/mine/changes/7',
    );
    const posted = server.asked.filter(({ method }) => method === 'POST').map(({ body }) => (body as Asked).change_set);
    expect(posted).toEqual(['new', 'new']);
  });

  it('does not take the name of an estate that there is for a new one', async () => {
    const { user } = await preview(report, ['mine']);
    await user.click(screen.getByRole('radio', { name: 'As a new estate' }));
    await user.clear(screen.getByRole('textbox', { name: 'Name of the new estate' }));
    await user.type(screen.getByRole('textbox', { name: 'Name of the new estate' }), 'mine');
    expect(screen.getByRole('button', { name: 'Preview' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('cannot go on while there is a problem, whose place it tells, until it is left out', async () => {
    const notice = {
      file: 'pasted.sql',
      line: 4,
      column: 12,
      code: 102,
      detail: "Syntax error near 'WHIT', expected WITH.",
      why: '',
      cure: '',
    };
    const { user } = await preview({ ...report, problems: [notice] });
    expect(await screen.findByText('pasted.sql, line 4, column 12')).toBeInTheDocument();
    expect(screen.getByText(/Syntax error near 'WHIT'/, { selector: 'li span' })).toHaveTextContent('102 ·');
    expect(screen.getByRole('radio', { name: 'Error 1' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Continue' })).toHaveAttribute('aria-disabled', 'true');
    await user.click(screen.getByRole('button', { name: 'Leave out line 4 of pasted.sql' }));
    expect(await screen.findByText(/1 statement is left out/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Continue' })).not.toHaveAttribute('aria-disabled');
    expect((server.asked.at(-1)?.body as Asked).files[0]?.left_out).toEqual([4]);
  });

  it('that takes long is a job, whose progress is shown and whose result is the preview', async () => {
    const job = {
      id: 'j1',
      kind: 'import',
      title: 'Import',
      state: 'running',
      stage: 'planning',
      done: 30,
      total: 120,
      problem: null,
    };
    let looks = 0;
    server.on('GET', '/api/v1/jobs/j1', () => ({ body: { ...job, state: ++looks > 1 ? 'done' : 'running' } }));
    server.on('GET', '/api/v1/jobs/j1/result', () => ({ body: { ...report, counts: { add: 100_000 } } }));
    server.on('POST', '/api/v1/imports', () => ({ status: 202, body: job }));
    const user = userEvent.setup();
    render(<ImportWizard estates={[]} suggestedEstate="mine" />);
    await user.click(screen.getByRole('textbox', { name: 'Or paste T-SQL' }));
    await user.paste('CREATE ROUTE x');
    await user.click(screen.getByRole('button', { name: 'Preview' }));
    expect(await screen.findByRole('progressbar', { name: 'Comparing with the estate' })).toHaveAttribute(
      'aria-valuenow',
      '25',
    );
    expect(await screen.findByRole('radio', { name: 'Add 100000' })).toBeInTheDocument();
  });

  it('tells what waited on a collected server', async () => {
    const backlog = {
      instance: 'PARIS',
      database: 'Ventes',
      to_service: '//Lager',
      status: '',
      messages: 12,
      oldest: '2026-01-01T00:00:00',
    };
    await preview({ ...report, backlogs: [backlog] });
    expect(await screen.findByRole('row', { name: /PARIS · Ventes .*Lager 12 2026-01-01/ })).toBeInTheDocument();
  });

  it('is looked at again when the scripts were edited after the preview', async () => {
    const { user } = await preview(report);
    await screen.findByRole('button', { name: 'Continue' });
    await user.type(screen.getByRole('textbox', { name: 'Or paste T-SQL' }), ' more');
    expect(screen.queryByRole('button', { name: 'Continue' })).not.toBeInTheDocument();
  });

  it('says which encoding was assumed of a file that does not tell', async () => {
    const { user } = await preview(report);
    await screen.findByRole('button', { name: 'Continue' });
    const files = [new File(['DROP ROUTE r'], 'plain.sql'), new File([new Uint8Array([0x2d, 0x2d, 0xe9])], 'old.sql')];
    await user.upload(document.querySelector<HTMLInputElement>('input[type=file]') ?? document.body, files);
    expect((await screen.findByText('old.sql')).closest('li')).toHaveTextContent('Read as Windows-1252');
    expect(screen.getByText('plain.sql').closest('li')).not.toHaveTextContent('Read as');
    await user.click(screen.getByRole('button', { name: 'Preview' }));
    await screen.findByRole('button', { name: 'Continue' });
    const asked = server.asked.at(-1)?.body as { files: unknown[] };
    expect(asked.files).toContainEqual({ name: 'old.sql', text: '--é', instance: null, database: null, left_out: [] });
  });

  it('shows the first of very many warnings and how many there are', async () => {
    const warnings = Array.from({ length: 1200 }, (_, index) => ({
      file: 'pasted.sql',
      line: index + 1,
      detail: 'Assumed.',
    }));
    await preview({ ...report, warnings });
    expect(await screen.findByText('and 1,000 more.')).toBeInTheDocument();
    expect(screen.getAllByText('Assumed.')).toHaveLength(200);
  });

  it('says so when there is nothing to change', async () => {
    await preview({ ...report, rows: [row('same', 1)] });
    expect(await screen.findByText(/0 changes: the estate has all of this already/)).toBeInTheDocument();
  });
});
