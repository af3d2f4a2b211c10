// Loads files of games with libosl, which GPSShogi's tools are made of, and prints of each
// its name, the number of moves, the seconds of all but the last (whose time becomes that
// of the answer that ended the game, in this library) and the result: 1 Black won, 2 White
// won, 0 not known, 3 and 4 drawn. What it does not understand it says on its standard error.
#include "osl/record/csaRecord.h"
#include <iostream>
#include <numeric>

int main(int argc, char **argv) {
  std::cout << std::unitbuf; // a file can end the process
  for (int i = 1; i < argc; ++i) {
    try {
      const osl::record::Record record = osl::CsaFile(argv[i]).load();
      const std::vector<int> &times = record.times;
      std::cout << argv[i] << " " << record.moves().size() << " "
                << std::accumulate(times.begin(), times.empty() ? times.end() : times.end() - 1, 0) << " " << record.result << "\n";
    } catch (std::exception &e) {
      std::cout << argv[i] << " error " << e.what() << "\n";
    }
  }
}
