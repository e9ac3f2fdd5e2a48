import { existsSync, readdirSync } from 'node:fs';

import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

// The rooms of src/, lowest first. A room may import from lower rooms only; rooms on one line do not know each other.
const layers = [
  ['contracts', 'config', 'theme', 'i18n'],
  ['topology', 'live'],
  ['lib'],
  ['hooks'],
  ['components'],
  ['features'],
  ['app'],
];

const src = new URL('./src/', import.meta.url);
const room = (name) => `./src/${name}`;

const layerZones = layers
  .flatMap((line, level) =>
    line.map((name) => ({
      target: room(name),
      from: layers
        .slice(level)
        .flat()
        .filter((other) => other !== name)
        .map(room),
      message: `src/${name} may import from lower rooms only (see frontend/eslint.config.js).`,
    })),
  )
  .filter((zone) => zone.from.length > 0);

const features = existsSync(new URL('features/', src))
  ? readdirSync(new URL('features/', src), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
  : [];

const featureZones = features.map((name) => ({
  target: room(`features/${name}`),
  from: room('features'),
  except: [`./${name}`],
  message: 'A feature never imports another feature: move what they share to components, lib or topology.',
}));

// Rooms whose words all stand in src/i18n/locales. A word is prose: two small words in a row, or one with a capital
// where it is shown. Names of columns and T-SQL are none.
const translated = ['app', 'components', 'features', 'hooks', 'lib', 'live', 'topology'];
const shownProps =
  '/^(label|title|description|placeholder|kind|heading|hint|text|alt|error|nothingFoundMessage|aria-label|aria-description)$/';
const prose = '/(^|[^<a-z])[a-z]{2,},? [a-z]{2,}/';
const shownWord = '/^[^_]*[A-Z][a-z]+[^_]*$/';
const sayIt = 'Words stand in src/i18n/locales, in three languages: see src/i18n/index.ts.';
const literalWords = [
  'JSXText[value=/[A-Za-z]{2,}/]:not([value=/^\\s*brokerweb\\s*$/])',
  `Literal[value=${prose}]:not(NewExpression > Literal):not(TSLiteralType > Literal):not(JSXAttribute[name.name="what"] > Literal)`,
  `TemplateElement[value.raw=${prose}]`,
  `JSXAttribute[name.name=${shownProps}] > Literal[value=${shownWord}]`,
  `JSXExpressionContainer > Literal[value=${shownWord}]`,
  `JSXExpressionContainer > ConditionalExpression > Literal[value=${shownWord}]`,
  `Property[key.name=${shownProps}] > Literal[value=${shownWord}]`,
].map((selector) => ({ selector, message: sayIt }));

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'src/contracts/generated'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme'], location: 'anywhere' }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { globals: globals.browser },
    plugins: { 'import-x': importX, 'react-hooks': reactHooks },
    extends: [jsxA11y.flatConfigs.strict],
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({ project: `${import.meta.dirname}/tsconfig.app.json` }),
      ],
    },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: [...layerZones, ...featureZones] },
      ],
    },
  },
  {
    // What can be tested without a browser stays free of the browser's framework.
    files: ['src/{contracts,topology,live}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['react', 'react-*', '@mantine/*', '@xyflow/react', 'zustand'],
              message: 'This room is framework-free.',
            },
          ],
        },
      ],
    },
  },
  {
    files: translated.map((name) => `src/${name}/**/*.{ts,tsx}`),
    ignores: ['**/*.test.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...literalWords] },
  },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked], languageOptions: { globals: globals.node } },
);
