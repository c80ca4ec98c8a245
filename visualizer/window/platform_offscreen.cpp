// OpenGL without a screen: EGL's surfaceless platform and a pixel buffer.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "visualizer/window/frame_times.h"
#include "visualizer/window/memory_room.h"
#include "visualizer/window/platform.h"

namespace tilescope::window {
namespace {

class Offscreen : public Platform {
 public:
  Offscreen(EGLDisplay display, EGLConfig config, EGLContext context, EGLSurface surface, int width, int height, float scale)
      : display_(display), config_(config), context_(context), surface_(surface), width_(width), height_(height), scale_(scale) {}
  ~Offscreen() override {
    if (started_) {
      ImGui_ImplOpenGL3_Shutdown();
      ImGui::DestroyContext();
    }
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroySurface(display_, surface_);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
  }
  bool start() {
    IMGUI_CHECKVERSION();
    throw_when_imgui_finds_no_memory();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    started_ = ImGui_ImplOpenGL3_Init("#version 330 core");
    return started_;
  }

  bool begin(double) override {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    io.DeltaTime = 1.0f / 60;
    ImGui_ImplOpenGL3_NewFrame();
    return true;
  }
  void present(Picture* into) override {
    // Nobody sees a frame that is not read back, unless its time is measured: laying it out is enough.
    if (into == nullptr && !timed_) return;
    glViewport(0, 0, width_, height_);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glFinish();
    if (into != nullptr) *into = read_framebuffer(width_, height_);
  }
  void fonts_changed() override {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  float display_scale() const override { return scale_; }
  int width() const override { return width_; }
  int height() const override { return height_; }
  void resize(int width, int height) override {
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    EGLSurface bigger = eglCreatePbufferSurface(display_, config_, size);
    if (bigger == EGL_NO_SURFACE) return;
    eglMakeCurrent(display_, bigger, bigger, context_);
    eglDestroySurface(display_, surface_);
    surface_ = bigger;
    width_ = width;
    height_ = height;
  }

 private:
  EGLDisplay display_;
  EGLConfig config_;
  EGLContext context_;
  EGLSurface surface_;
  int width_, height_;
  float scale_;
  bool started_ = false, timed_ = FrameTimes::wanted();
};

Diagnostic no_gl(const std::string& what) {
  return plain_error("cannot draw without a screen: " + what, "Mesa's software OpenGL is enough (packages libegl1 and libgl1-mesa-dri)");
}

}  // namespace

Expected<std::unique_ptr<Platform>> open_offscreen(int width, int height, float scale) {
  if (auto error = no_room_to_draw()) return *error;
  const auto get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (get_display == nullptr) return no_gl("EGL has no platform displays");
  EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) return no_gl("EGL has no surfaceless platform");
  eglBindAPI(EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint found = 0;
  if (eglChooseConfig(display, wanted, &config, 1, &found) == EGL_FALSE || found == 0) return no_gl("no fitting EGL configuration");
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  if (context == EGL_NO_CONTEXT) return no_gl("no OpenGL 3.3");
  const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
  EGLSurface surface = eglCreatePbufferSurface(display, config, size);
  if (surface == EGL_NO_SURFACE || eglMakeCurrent(display, surface, surface, context) == EGL_FALSE)
    return no_gl("no buffer of " + std::to_string(width) + "x" + std::to_string(height) + " pixels");
  auto out = std::make_unique<Offscreen>(display, config, context, surface, width, height, scale);
  if (!out->start()) return no_gl("Dear ImGui finds no OpenGL functions");
  return std::unique_ptr<Platform>(std::move(out));
}

}  // namespace tilescope::window
