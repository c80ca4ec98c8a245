#include <iostream>

#include "visualizer/terminal/command.h"

int main(int argc, char** argv) {
  return tilescope::terminal::tilescope_main(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
