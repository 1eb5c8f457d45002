// Two small SVG charts: labelled bars, and columns over time. The numbers are beside them or in a table, which screen readers get.

import { type ReactNode, useId } from 'react';
import { useManageWords } from './use-manage-words.ts';
import './charts.css';

export interface ChartRow {
  key: string;
  name: string;
  value: number;
  /** The value as it is read. */
  shown: string;
  /** How many there are: in words beside the bar, as a number in the table. */
  more: string;
  number: string;
}

export function Chart({ title, help, children }: { title: string; help?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {help !== undefined && <p className="chart-help">{help}</p>}
      {children}
    </section>
  );
}

/** The rows are a list with numbers, so they need no table behind them. */
export function Bars({ rows }: { rows: readonly ChartRow[] }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ul className="bars">
      {rows.map(({ key, name, value, shown, more }, index) => (
        <li key={key}>
          <span className="bars-name">{name}</span>
          <span className="bars-value">
            {shown} <small>{more}</small>
          </span>
          <svg
            className="bars-line"
            viewBox="0 0 100 8"
            preserveAspectRatio="none"
            aria-hidden="true"
            focusable="false"
          >
            <rect className="bars-ground" width="100" height="8" />
            <rect
              className={`bars-bar bars-bar-${index % 4}`}
              width={value === 0 ? 0 : Math.max(0.6, (value / most) * 100)}
              height="8"
            />
          </svg>
        </li>
      ))}
    </ul>
  );
}

const height = 100;

export function Columns({ title, rows }: { title: string; rows: readonly ChartRow[] }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const largest = rows.reduce((best, row) => (row.value > best.value ? row : best), rows[0] as ChartRow);
  const label = `${title}: ${rows[0]?.name} – ${rows.at(-1)?.name}; ${largest.name}: ${largest.shown}`;
  return (
    <figure className="columns">
      <svg
        className="columns-shapes"
        viewBox={`0 0 ${rows.length * 10} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {[0.25, 0.5, 0.75].map((share) => (
          <line
            key={share}
            className="columns-line"
            x1="0"
            x2={rows.length * 10}
            y1={share * height}
            y2={share * height}
          />
        ))}
        {rows.map(({ key, name, value, shown }, index) => {
          const tall = value === 0 ? 0.8 : Math.max(2, (value / most) * (height - 2));
          return (
            <rect
              key={key}
              className={value === 0 ? 'columns-empty' : 'columns-column'}
              x={index * 10 + 1.2}
              width={7.6}
              y={height - tall}
              height={tall}
            >
              <title>{`${name}: ${shown}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="columns-ends" aria-hidden="true">
        <span>{rows[0]?.name}</span>
        <span className="columns-most">{`${largest.name}: ${largest.shown}`}</span>
        <span>{rows.at(-1)?.name}</span>
      </figcaption>
    </figure>
  );
}

interface ChartTableProps {
  caption: string;
  heads: readonly [string, string, string];
  rows: readonly ChartRow[];
}

export function ChartTable({ caption, heads, rows }: ChartTableProps) {
  const words = useManageWords().usage;
  return (
    <details className="chart-table">
      <summary>{words.asTable}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section className="chart-scroll" tabIndex={0} aria-label={caption}>
        <table>
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, shown, number }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{shown}</td>
                <td>{number}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
