package import ScriptSyntax

/// A series of lessons in a fixed order.
package struct Course: Sendable {
  /// The name under which progress is saved: `frc`, or a folder.
  package let name: String
  package let lessons: [Lesson]

  package init(name: String, lessons: [Lesson]) {
    self.name = name
    self.lessons = lessons
  }

  /// The course that is built into the program.
  package static let builtIn = Course(
    name: "frc",
    lessons: builtInFiles.compactMap {
      LessonReader.read($0.source, named: $0.name).lesson
    })

  /// The files of the built-in course, by lesson name.
  package static var builtInFiles: [(name: String, source: SourceText)] {
    CourseText.files(in: String(decoding: PackageResources.course_txt, as: UTF8.self)).map { file in
      (file.name, SourceText(name: "\(file.name).frc", text: file.text))
    }
  }
}

/// The encoding of a course's files as one text, which is compiled into the program.
package enum CourseText {
  private static let head = "=== "

  /// Returns one text that contains all files, by lesson name.
  package static func text(of files: [(name: String, text: String)]) -> String {
    files.map { "\(head)\($0.name)\n\($0.text)" }.joined()
  }

  static func files(in text: String) -> [(name: String, text: String)] {
    var files: [(name: String, text: String)] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(head) {
        files.append((String(line.dropFirst(head.count)), ""))
      } else if !files.isEmpty {
        files[files.count - 1].text += line + "\n"
      }
    }
    // The last line end does not start another line.
    if var last = files.popLast() {
      if last.text.hasSuffix("\n") { last.text.removeLast() }
      files.append(last)
    }
    return files
  }
}
