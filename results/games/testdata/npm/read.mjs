// Reads records with tsshogi (ShogiHome's library) and json-kifu-format (that of Kifu for
// JS), and prints what they make of them: a JSON object with an array for each file.
// Arguments: the folder. The files are NAME.FORMAT.EXTENSION.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import * as ts from "tsshogi";

const require = createRequire(import.meta.url);
const jkf = require("json-kifu-format");
const Ajv = require("ajv/dist/2020");
const schema = require("json-kifu-format/specification/json-kifu-format.schema.json");
const valid = new Ajv({ strict: false }).compile(schema);

const folder = process.argv[2];

// byShogi is what tsshogi reads.
function byShogi(format, text) {
  const read = { csa: ts.importCSA, csa3: ts.importCSA, kif: ts.importKIF, sjis: ts.importKIF, ki2: ts.importKI2, jkf: ts.importJKFString, usi: ts.Record.newByUSI }[format];
  const record = read(text);
  if (record instanceof Error) return { error: String(record.message) };
  const moves = [];
  const comments = record.moves.slice(1).map((node) => node.comment);
  const again = format === "kif" ? { kif: ts.exportKIF(record), comments, note: record.metadata.getStandardMetadata(ts.RecordMetadataKey.NOTE) ?? "" } : {};
  let end = null;
  for (const node of record.moves.slice(1)) {
    if (node.move instanceof ts.Move) {
      const score = /^\* *([+-]?\d+)/.exec(node.comment) ?? /評価値 ([+-]?\d+)/.exec(node.comment);
      moves.push({ usi: node.move.usi, ms: Math.round(node.elapsedMs), score: score ? Number(score[1]) : null });
    } else {
      end = { word: node.move.type, ms: Math.round(node.elapsedMs) };
    }
  }
  return { start: record.initialPosition.sfen, final: record.position ? lastOf(record) : null, moves, end, ki2: format === "usi" ? ts.exportKI2(record) : "", ...again };
}

function lastOf(record) {
  record.goto(10000);
  return record.position.sfen;
}

// byJKF is what json-kifu-format reads, and whether it is what its schema allows.
function byJKF(format, text) {
  const parse = { csa: jkf.Parsers.parseCSA, kif: jkf.Parsers.parseKIF, sjis: jkf.Parsers.parseKIF, ki2: jkf.Parsers.parseKI2, jkf: (t) => JSON.parse(t) }[format];
  if (!parse) return null;
  const record = parse(text);
  const ok = valid(record);
  const player = new jkf.JKFPlayer(record);
  player.goto(10000);
  const moves = record.moves.slice(1).filter((m) => m.move).map((m) => ({
    from: m.move.from ? `${m.move.from.x}${m.move.from.y}` : null, to: `${m.move.to.x}${m.move.to.y}`, piece: m.move.piece, promote: m.move.promote === true, relative: m.move.relative ?? "",
    s: m.time ? 60 * m.time.now.m + m.time.now.s + 3600 * (m.time.now.h ?? 0) : null,
  }));
  return { moves, special: record.moves.at(-1).special ?? null, sfen: player.shogi.toSFENString(1), valid: ok ? null : valid.errors };
}

const out = {};
for (const name of fs.readdirSync(folder).sort()) {
  const [game, format] = name.split(".");
  const bytes = fs.readFileSync(path.join(folder, name));
  const text = new TextDecoder(format === "sjis" ? "shift_jis" : "utf-8").decode(bytes);
  const got = { game, format };
  for (const [reader, read] of [["shogi", byShogi], ["jkf", byJKF]]) {
    try {
      got[reader] = read(format, text);
    } catch (e) {
      got[reader] = { error: String(e) };
    }
  }
  out[name] = got;
}
process.stdout.write(JSON.stringify(out));
