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

  /// The files of the built-in course, by lesson name, in the order of the lessons.
  package static var builtInFiles: [(name: String, source: SourceText)] {
    PackageResources.all.map { file in
      let name = String(file.name.dropLast(".frc".count))
      return (name, SourceText(name: file.name, text: file.text))
    }
  }
}
