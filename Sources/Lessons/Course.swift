package import ScriptSyntax

/// Lessons in their order.
package struct Course: Sendable {
  /// What progress is kept under: `frc`, or a folder.
  package let name: String
  package let lessons: [Lesson]

  package init(name: String, lessons: [Lesson]) {
    self.name = name
    self.lessons = lessons
  }

  /// The course that the program brings.
  package static let builtIn = Course(
    name: "frc",
    lessons: builtInFiles.compactMap {
      LessonReader.read($0.source, named: $0.name).lesson
    })

  /// The files of that course, by what the lessons are called.
  package static var builtInFiles: [(name: String, source: SourceText)] {
    CourseText.files(in: String(decoding: PackageResources.course_txt, as: UTF8.self)).map { file in
      (file.name, SourceText(name: "\(file.name).frc", text: file.text))
    }
  }
}

/// The files of a course in one text, which is compiled into the program.
package enum CourseText {
  private static let head = "=== "

  /// The text of some files, by what the lessons are called.
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
    // The last line end ends a line and begins none.
    if var last = files.popLast() {
      if last.text.hasSuffix("\n") { last.text.removeLast() }
      files.append(last)
    }
    return files
  }
}
