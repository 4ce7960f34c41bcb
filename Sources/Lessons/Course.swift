package import ScriptSyntax

/// A series of lessons in a fixed order.
package struct Course: Sendable {
  /// The name under which progress is saved: `frc`, or a folder, with the learner's name if there
  /// is one.
  package let name: String
  /// The name for reports: `frc`, or the last part of the folder's path.
  package let title: String
  package let lessons: [Lesson]

  package init(name: String, title: String? = nil, lessons: [Lesson]) {
    self.name = name
    self.title = title ?? name.split(separator: "/").last.map(String.init) ?? name
    self.lessons = lessons
  }

  /// Returns the course with progress of its own for a learner.
  package func taken(by learner: String) -> Course {
    Course(name: "\(name) as \(learner)", title: title, lessons: lessons)
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
