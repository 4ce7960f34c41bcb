import ScriptPages
import ScriptRuntime

/// The files that the server gives to pages: those of the page itself, the examples, and the
/// scripts of the user's folder.
///
/// A path is looked up in a list, and never given to the system.
package struct PlaygroundFiles {
  /// The scripts of the user's folder: a list of their paths, and the text of one.
  package struct Folder {
    let paths: () -> [String]
    let text: (String) -> String?

    package init(paths: @escaping () -> [String], text: @escaping (String) -> String?) {
      self.paths = paths
      self.text = text
    }
  }

  private let folder: Folder?
  private let isClass: Bool

  package init(folder: Folder?, isClass: Bool) {
    self.folder = folder
    self.isClass = isClass
  }

  /// The page's own files, by their paths.
  package static let pages = allPages.mapValues { (type: $0.type, text: withoutComments($0.text)) }

  /// Returns code without the lines that are comments, which a browser need not load.
  private static func withoutComments(_ code: String) -> String {
    code.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      let line = line.trimmingPrefix { $0 == " " }
      return !line.hasPrefix("//") && !(line.hasPrefix("/*") && line.hasSuffix("*/"))
    }.joined(separator: "\n")
  }

  private static var allPages: [String: (type: String, text: String)] {
    let html = "text/html; charset=utf-8"
    let script = "text/javascript; charset=utf-8"
    let shared = [PageCode.recording, PageCode.lists].joined(separator: "\n")
    return [
      "": (html, PackageResources.serve_html),
      "shared.js": (script, shared),
      "editor.js": (script, PackageResources.editor_js),
      "session.js": (script, PackageResources.session_js),
      "course.js": (script, PackageResources.course_js),
      "playground.js": (script, PackageResources.playground_js),
      "page.css": ("text/css; charset=utf-8", PageCode.style),
      "serve.css": ("text/css; charset=utf-8", PackageResources.serve_css),
      "join/": (html, PackageResources.join_html),
      "join/join.js": (script, PackageResources.join_js),
      "join/page.css": ("text/css; charset=utf-8", PageCode.style),
      "join/serve.css": ("text/css; charset=utf-8", PackageResources.serve_css),
      "class/": (html, PackageResources.class_html),
      "class/class.js": (script, PackageResources.class_js),
      "class/shared.js": (script, shared),
      "class/session.js": (script, PackageResources.session_js),
      "class/serve.css": ("text/css; charset=utf-8", PackageResources.serve_css),
      "class/page.css": ("text/css; charset=utf-8", PageCode.style),
    ]
  }

  /// The examples, by their names without the ending.
  package static let examples: [(name: String, text: String)] = PackageResources.all
    .filter { $0.name.hasSuffix(".frc") }
    .map { (name: String($0.name.dropLast(4)), text: $0.text) }

  /// The files that examples include, by the paths that the examples use.
  package static let included: [String: String] = Dictionary(
    PackageResources.all.filter { $0.name.hasSuffix(".part") }
      .map { ("migration/\($0.name)", $0.text) }, uniquingKeysWith: { first, _ in first })

  /// Returns the answer to a request for a file.
  package func response(to path: String, _ role: Admission.Role) -> Response {
    if path.hasPrefix("class/"), role != .owner || !isClass { return Response(.notFound) }
    if let page = Self.pages[path] {
      // The page of a student asks for a name, and that of the owner does not.
      let text =
        path.isEmpty && role == .student
        ? page.text.replacing("<body class=\"live\">", with: "<body class=\"live student\">")
        : page.text
      return Response(.ok, type: page.type, body: text)
    }
    if path == "list.json" { return Response(.ok, type: "application/json", body: list(role)) }
    // Lessons in the teacher's folder have their solutions.
    let finders = [("example/", example)] + (role == .owner ? [("folder/", ofFolder)] : [])
    for (start, find) in finders where path.hasPrefix(start) {
      guard let name = Self.decoded(path.dropFirst(start.count)), let text = find(name) else {
        break
      }
      return Response(.ok, body: text)
    }
    return Response(.notFound)
  }

  private func list(_ role: Admission.Role) -> String {
    JSON.object([
      ("examples", .array(Self.examples.map { .string($0.name) })),
      ("included", .array(Self.included.keys.sorted().map { .string($0) })),
      (
        "folder", .array(role == .owner ? (folder?.paths() ?? []).map { .string($0) } : [])
      ),
      ("role", .string(role.rawValue)), ("class", .boolean(isClass)),
    ]).description
  }

  private func example(_ name: String) -> String? {
    Self.examples.first { $0.name == name }?.text ?? Self.included[name]
  }

  private func ofFolder(_ path: String) -> String? {
    guard let folder, folder.paths().contains(path) else { return nil }
    return folder.text(path)
  }

  /// Returns a path without its percent signs; nil if it is damaged.
  static func decoded(_ path: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = path.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2,
        let code = UInt8(digits, radix: 16), code != 0
      else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
