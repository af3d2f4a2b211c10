/* A small USI engine: it looks at each move and each reply, and counts material. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "taste.h"

enum { P = 1, L, N, S, G, B, R, K, PROMOTED = 8 };
static const int value[16] = {0, 100, 300, 350, 500, 550, 800, 1000, 0, 550, 550, 550, 550, 0, 1000, 1200};
typedef struct { int board[81], hand[2][8], side; } Position;
typedef struct { int from, to, drop, promote; } Move;
static long nodes;

static const int orthogonal[4][2] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}}, diagonal[4][2] = {{1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
static const int gold[6][2] = {{0, -1}, {1, -1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}}, silver[5][2] = {{0, -1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
static const int knight[2][2] = {{1, -2}, {-1, -2}}, pawn[1][2] = {{0, -1}};

static int own(const Position *p, int square) { return p->side ? -p->board[square] : p->board[square]; }

static int forced(const Position *p, int piece, int to) {
	int rank = p->side ? 8 - to % 9 : to % 9;
	return (piece == P || piece == L) && rank == 0 || piece == N && rank <= 1;
}

static int add(const Position *p, Move *list, int n, int from, int to) {
	int piece = own(p, from), zone = p->side ? from % 9 > 5 || to % 9 > 5 : from % 9 < 3 || to % 9 < 3;
	if (piece < G && zone || (piece == B || piece == R) && zone) list[n++] = (Move){from, to, 0, 1};
	if (!forced(p, piece, to)) list[n++] = (Move){from, to, 0, 0};
	return n;
}

static int walk(const Position *p, Move *list, int n, int from, const int (*steps)[2], int count, int far) {
	for (int i = 0; i < count; i++) {
		int file = from / 9, rank = from % 9;
		do {
			file += steps[i][0], rank += p->side ? -steps[i][1] : steps[i][1];
			if (file < 0 || file > 8 || rank < 0 || rank > 8 || own(p, file * 9 + rank) > 0) break;
			n = add(p, list, n, from, file * 9 + rank);
		} while (far && own(p, file * 9 + rank) == 0);
	}
	return n;
}

static int steps(const Position *p, Move *list) {
	int n = 0;
	for (int from = 0; from < 81; from++) {
		int piece = own(p, from);
		if (piece <= 0) continue;
		if (piece == P) n = walk(p, list, n, from, pawn, 1, 0);
		else if (piece == L) n = walk(p, list, n, from, pawn, 1, 1);
		else if (piece == N) n = walk(p, list, n, from, knight, 2, 0);
		else if (piece == S) n = walk(p, list, n, from, silver, 5, 0);
		else if (piece != B && piece != R && piece != K && piece != B + PROMOTED && piece != R + PROMOTED) n = walk(p, list, n, from, gold, 6, 0);
		if (piece == B || piece == B + PROMOTED) n = walk(p, list, n, from, diagonal, 4, 1);
		if (piece == R || piece == R + PROMOTED) n = walk(p, list, n, from, orthogonal, 4, 1);
		if (piece == K || piece == B + PROMOTED) n = walk(p, list, n, from, orthogonal, 4, 0);
		if (piece == K || piece == R + PROMOTED) n = walk(p, list, n, from, diagonal, 4, 0);
	}
	return n;
}

static int all(const Position *p, Move *list) {
	int n = steps(p, list);
	for (int drop = P; drop <= R; drop++) {
		if (!p->hand[p->side][drop]) continue;
		for (int to = 0; to < 81; to++) {
			int pawns = 0;
			if (p->board[to] || forced(p, drop, to)) continue;
			for (int rank = 0; rank < 9; rank++) pawns += own(p, to / 9 * 9 + rank) == P;
			/* A pawn that is dropped in front of the king may be an illegal mate. */
			int front = to + (p->side ? 1 : -1);
			if (drop == P && (pawns || front / 9 == to / 9 && own(p, front) == -K)) continue;
			list[n++] = (Move){-1, to, drop, 0};
		}
	}
	return n;
}

static void play(Position *p, Move m) {
	int sign = p->side ? -1 : 1;
	if (m.drop) {
		p->hand[p->side][m.drop]--;
		p->board[m.to] = sign * m.drop;
	} else {
		int taken = abs(p->board[m.to]) % PROMOTED;
		if (abs(p->board[m.to]) == K) taken = 0;
		if (taken) p->hand[p->side][taken]++;
		p->board[m.to] = p->board[m.from] + (m.promote ? sign * PROMOTED : 0);
		p->board[m.from] = 0;
	}
	p->side = !p->side;
	nodes++;
}

/* takes reports whether the side to move can take the king. */
static int takes(const Position *p) {
	Move list[600];
	int n = steps(p, list);
	for (int i = 0; i < n; i++) if (own(p, list[i].to) == -K) return 1;
	return 0;
}

static int material(const Position *p) {
	int sum = 0;
	for (int i = 0; i < 81; i++) sum += p->board[i] > 0 ? value[p->board[i]] : -value[-p->board[i]];
	for (int i = P; i <= R; i++) sum += value[i] * (p->hand[0][i] - p->hand[1][i]);
	return p->side ? -sum : sum;
}

/* best returns the number of legal moves, and the move with the best score after the best reply. */
static int best(const Position *p, Move *chosen, int *score) {
	Move list[600], replies[600];
	int n = all(p, list), legal = 0;
	for (int i = 0; i < n; i++) {
		Position next = *p;
		play(&next, list[i]);
		if (takes(&next)) continue;
		int worst = 100000, count = all(&next, replies);
		for (int j = 0; j < count; j++) {
			Position after = next;
			play(&after, replies[j]);
			int now = material(&after);
			if (now < worst && !takes(&after)) worst = now;
		}
		worst *= TASTE;
		if (!legal++ || worst > *score) *score = worst, *chosen = list[i];
	}
	return legal;
}

static const char letters[] = " PLNSGBRK";

static void set(Position *p, const char *sfen) {
	memset(p, 0, sizeof *p);
	int file = 8, rank = 0, plus = 0;
	for (; *sfen && *sfen != ' '; sfen++) {
		const char *at = strchr(letters, *sfen & ~32);
		if (*sfen == '/') file = 8, rank++;
		else if (*sfen == '+') plus = PROMOTED;
		else if (*sfen >= '1' && *sfen <= '9') file -= *sfen - '0';
		else if (at) {
			int piece = (int)(at - letters) + plus;
			p->board[file * 9 + rank] = *sfen & 32 ? -piece : piece;
			file--, plus = 0;
		}
	}
	p->side = sfen[1] == 'w';
	int number = 0;
	for (sfen += 3; *sfen && *sfen != ' '; sfen++) {
		if (*sfen >= '0' && *sfen <= '9') number = number * 10 + *sfen - '0';
		else if (*sfen != '-') p->hand[*sfen & 32 ? 1 : 0][strchr(letters, *sfen & ~32) - letters] += number ? number : 1, number = 0;
	}
}

static void position(Position *p, char *line) {
	char *moves = strstr(line, " moves "), *sfen = strstr(line, "sfen ");
	set(p, sfen ? sfen + 5 : "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
	for (char *word = moves ? strtok(moves + 7, " \n") : 0; word; word = strtok(0, " \n")) {
		int to = (word[2] - '1') * 9 + word[3] - 'a';
		if (word[1] == '*') play(p, (Move){-1, to, (int)(strchr(letters, word[0]) - letters), 0});
		else play(p, (Move){(word[0] - '1') * 9 + word[1] - 'a', to, 0, word[4] == '+'});
	}
}

static void answer(const Position *p) {
	Move m;
	int score = 0;
	nodes = 0;
	if (material(p) < -900 || !best(p, &m, &score)) {
		puts("bestmove resign");
		return;
	}
	printf("info depth 2 nodes %ld score cp %d\n", nodes, TASTE * score);
	if (m.drop) printf("bestmove %c*%d%c\n", letters[m.drop], m.to / 9 + 1, 'a' + m.to % 9);
	else printf("bestmove %d%c%d%c%s\n", m.from / 9 + 1, 'a' + m.from % 9, m.to / 9 + 1, 'a' + m.to % 9, m.promote ? "+" : "");
}

int main(int argc, char **argv) {
	static char line[1 << 16];
	Position p;
	setvbuf(stdout, 0, _IOLBF, 0);
	position(&p, strcpy(line, "startpos"));
	if (argc > 1 && !strcmp(argv[1], "bench")) {
		Move m;
		int score = 0;
		for (int i = 0; i < 10 && best(&p, &m, &score); i++) play(&p, m);
		printf("Nodes searched: %ld\n", nodes);
		return 0;
	}
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "usi\n", 4)) puts("id name small\noption name Threads type spin default 1 min 1 max 1\nusiok");
		else if (!strncmp(line, "isready", 7)) puts("readyok");
		else if (!strncmp(line, "position", 8)) position(&p, line);
		else if (!strncmp(line, "go", 2)) answer(&p);
		else if (!strncmp(line, "quit", 4)) break;
	}
	return 0;
}
