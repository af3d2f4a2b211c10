// Reads records with tsshogi, json-kifu-format and shogiops for the table of make formats. It prints one line of JSON for
// each file and peer, and writes what tsshogi and json-kifu-format write for the same game.
// Arguments: the folder of the files NAME.FORMAT, and a folder for the written files, or "".
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import * as ts from "tsshogi";
import { parseCsaHeader, parseCsaMovesOrDrops, normalizedCsaLines } from "shogiops/notation/csa";
import { parseKifHeader, parseKifMovesOrDrops, normalizedKifLines } from "shogiops/notation/kif";
import { makeSfen } from "shogiops/sfen";
import { makeUsi } from "shogiops/util";

const require = createRequire(import.meta.url);
const jkf = require("json-kifu-format");
const [folder, written] = process.argv.slice(2);

// save writes a file that a peer made of a game.
function save(name, peer, format, make) {
  if (!written) return;
  let text;
  try {
    text = make();
  } catch {
    return;
  }
  fs.writeFileSync(path.join(written, `${name}-${peer}.${format}`), text);
}

function tsshogi(name, format, text) {
  const read = { csa: ts.importCSA, csa3: ts.importCSA, kif: ts.importKIF, ki2: ts.importKI2, jkf: ts.importJKFString, usi: ts.Record.newByUSI, sfen: ts.Record.newByUSI }[format];
  const record = read(text);
  if (record instanceof Error) return { error: String(record.message) };
  const moves = [];
  const seconds = [];
  let end = "";
  for (const node of record.moves.slice(1)) {
    if (node.move instanceof ts.Move) {
      moves.push(node.move.usi);
      seconds.push(Math.floor(node.elapsedMs / 1000));
    } else {
      end = node.move.type === "any" ? node.move.name : node.move.type;
    }
  }
  const key = ts.RecordMetadataKey;
  for (const [f, make] of Object.entries({ csa: ts.exportCSA, kif: ts.exportKIF, ki2: ts.exportKI2, jkf: ts.exportJKFString, usi: (r) => r.getUSI({ allMoves: true }) })) save(name, "tsshogi", f, () => make(record));
  const of = (a, b) => record.metadata.getStandardMetadata(a) ?? record.metadata.getStandardMetadata(b) ?? "";
  return { start: record.initialPosition.sfen, moves, seconds, end, names: [of(key.BLACK_NAME, key.SHITATE_NAME), of(key.WHITE_NAME, key.UWATE_NAME)] };
}

const letters = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
const square = (s) => `${s.x}${"abcdefghi"[s.y - 1]}`;

function jsonKifu(name, format, text) {
  const parse = { csa: jkf.Parsers.parseCSA, csa3: jkf.Parsers.parseCSA, kif: jkf.Parsers.parseKIF, ki2: jkf.Parsers.parseKI2, jkf: jkf.Parsers.parseJKF ?? ((t) => JSON.parse(t)) }[format];
  if (!parse) return null;
  const record = parse(text);
  const player = new jkf.JKFPlayer(record);
  const start = player.shogi.toSFENString(1);
  const made = record.moves.slice(1).filter((m) => m.move).map((m) => ({ ...m.move, time: m.time }));
  const moves = made.map((m) => (m.from ? square(m.from) + square(m.to) + (m.promote ? "+" : "") : `${letters[m.piece]}*${square(m.to)}`));
  const seconds = made.map((m) => (m.time ? 3600 * (m.time.now.h ?? 0) + 60 * m.time.now.m + m.time.now.s : -1));
  player.goto(100000);
  save(name, "json-kifu-format", "jkf", () => JSON.stringify(record));
  if (format !== "jkf") save(name, "json-kifu-format", "kif", () => jkf.Exporters ? jkf.Exporters.exportKIF(record) : player.toKIF());
  const h = record.header;
  return { start, moves, seconds, end: record.moves.at(-1).special ?? "", names: [h["先手"] ?? h["下手"] ?? "", h["後手"] ?? h["上手"] ?? ""] };
}

// shogiops has no reader of a whole game. The lines of moves are chosen here: up to the first branch.
function shogiops(_, format, text) {
  if (format === "csa") {
    const pos = parseCsaHeader(text).unwrap((p) => p);
    const lines = normalizedCsaLines(text).filter((l) => /^[+-]\d{4}[A-Z]{2}/.test(l));
    return { start: makeSfen(pos), moves: parseCsaMovesOrDrops(pos, lines).map(makeUsi), end: null };
  }
  if (format !== "kif") return null;
  const pos = parseKifHeader(text).unwrap((p) => p);
  const all = normalizedKifLines(text);
  const branch = all.findIndex((l) => l.startsWith("変化"));
  const lines = all.slice(0, branch < 0 ? all.length : branch).filter((l) => /^\d+ +([１-９1-9][一二三四五六七八九]|同)/.test(l));
  return { start: makeSfen(pos), moves: parseKifMovesOrDrops(lines).map(makeUsi), end: null };
}

for (const file of fs.readdirSync(folder).sort()) {
  const [name, format] = file.split(".");
  const text = fs.readFileSync(path.join(folder, file), "utf-8");
  for (const [peer, read] of Object.entries({ tsshogi, "json-kifu-format": jsonKifu, shogiops })) {
    let got;
    try {
      got = read(name, format, text);
    } catch (e) {
      got = { error: String(e?.message ?? e) };
    }
    if (got) process.stdout.write(JSON.stringify({ file, peer, ...got }) + "\n");
  }
}
