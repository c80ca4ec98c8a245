// A window on the screen, by GLFW.
#include <GL/gl.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <utility>

#include "visualizer/window/memory_room.h"
#include "visualizer/window/platform.h"

namespace tilescope::window {
namespace {

class Screen : public Platform {
 public:
  Screen(GLFWwindow* window, float scale) : window_(window), forced_scale_(scale) {
    IMGUI_CHECKVERSION();
    throw_when_imgui_finds_no_memory();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~Screen() override {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  bool begin(double wait_seconds) override {
    if (wait_seconds > 0) glfwWaitEventsTimeout(wait_seconds);
    else glfwPollEvents();
    if (glfwWindowShouldClose(window_) != 0) return false;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    return true;
  }
  void present(Picture* into) override {
    int w = 0, h = 0;
    glfwGetFramebufferSize(window_, &w, &h);
    glViewport(0, 0, w, h);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    // What was swapped away cannot be relied on, so it is read before.
    if (into != nullptr) *into = read_framebuffer(w, h);
    glfwSwapBuffers(window_);
  }
  void fonts_changed() override {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  float display_scale() const override {
    if (forced_scale_ > 0) return forced_scale_;
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::clamp(std::max(x, y), 1.0f, 2.0f);
  }
  int width() const override { return size().first; }
  int height() const override { return size().second; }
  void resize(int width, int height) override { glfwSetWindowSize(window_, width, height); }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
  void keep_open() override { glfwSetWindowShouldClose(window_, GLFW_FALSE); }

 private:
  std::pair<int, int> size() const {
    int w = 0, h = 0;
    glfwGetWindowSize(window_, &w, &h);
    return {w, h};
  }

  GLFWwindow* window_;
  float forced_scale_;
};

std::string last_error;

}  // namespace

Expected<std::unique_ptr<Platform>> open_screen(const std::string& title, int width, int height, float scale) {
  glfwSetErrorCallback([](int, const char* text) { last_error = text; });
  const auto refuse = [] {
    return plain_error("cannot open a window: " + last_error, "without a display, `tilescope view FILE --shot picture.png` draws one frame into a file");
  };
  if (auto error = no_room_to_draw()) return *error;
  if (glfwInit() == GLFW_FALSE) return refuse();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  GLFWwindow* window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (window == nullptr) {
    glfwTerminate();
    return refuse();
  }
  glfwSetWindowSizeLimits(window, 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  return std::unique_ptr<Platform>(std::make_unique<Screen>(window, scale));
}

}  // namespace tilescope::window
