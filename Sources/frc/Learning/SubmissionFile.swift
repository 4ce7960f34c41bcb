import Basics
import Foundation
import Lessons
import Platform

/// The file with a learner's results that `frc learn --as NAME` writes, for a teacher.
struct SubmissionFile {
  static let ending = ".lessons.json"
  /// The most that is read of a file that somebody handed in.
  private static let mostBytes = 4_000_000

  let path: String
  private let learner: String
  private let course: Course

  /// - Parameter path: The path; nil for a file in the working folder that is named after the
  ///   learner and the course.
  init(of learner: String, in course: Course, at path: String?) {
    self.learner = learner
    self.course = course
    let words = [learner] + (course.isBuiltIn ? [] : [course.title])
    var stem = words.map(Self.fileName).joined(separator: "-")
    // Systems allow 255 bytes. Learners whose names begin alike get files with numbers.
    while stem.utf8.count > 200 { stem.removeLast() }
    self.path = path ?? Self.ownPath(stem, Submission(name: learner, course: course))
  }

  /// Returns the name of a file that no other learner and no other course has.
  ///
  /// `Ann Lee` and `ann-lee` would have the same, so the second gets a number. A file that the
  /// learner has already is used again.
  private static func ownPath(_ stem: String, _ submission: Submission) -> String {
    let names = Set(FileEnvironment.names(inFolder: ".") ?? [])
    let paths = [stem + ending] + (2...(names.count + 2)).map { "\(stem)-\($0)\(ending)" }
    var free: String?
    for path in paths {
      guard names.contains(path) else {
        free = free ?? path
        continue
      }
      do throws(UnwritableFile) {
        if try results(at: path, of: submission) != nil { return path }
        free = free ?? path
      } catch {
        // It has something else.
      }
    }
    return free ?? paths[0]
  }

  /// Returns the results in a file; nil if there is no file, or if it is empty or a device.
  ///
  /// - Throws: `UnwritableFile` if the file has something else, which must not be lost.
  private static func results(
    at path: String, of learner: Submission
  ) throws(UnwritableFile) -> Submission? {
    guard FileEnvironment.openDescriptor(path) == nil, let status = try? FileStatus(path),
      status.kind == .regular, status.size > 0
    else { return nil }
    let found: Submission
    do throws(Fault) {
      found = try read(path, followsLinks: true)
    } catch {
      throw UnwritableFile(reason: "\(error.reason); name another")
    }
    guard !found.belongs(with: learner) else { return found }
    let course = found.name == learner.name ? " in another course" : ""
    throw UnwritableFile(
      reason: "it has the results of '\(ShownText.line(found.name))'\(course); name another")
  }

  private func ownResults() throws(UnwritableFile) -> Submission? {
    try Self.results(at: path, of: Submission(name: learner, course: course))
  }

  /// Returns a text with everything but letters and digits replaced by hyphens.
  ///
  /// A learner has one file, also if one keyboard types `é` as one scalar and another as two.
  private static func fileName(_ text: String) -> String {
    let plain = text.precomposedStringWithCanonicalMapping
    let words = plain.lowercased().split { !$0.isLetter && !$0.isNumber }
    return words.isEmpty ? "learner" : words.joined(separator: "-")
  }

  /// Writes the results so far.
  ///
  /// Lessons that only the file has stay in it. The learner did them on another computer, or the
  /// file with the progress is another one now.
  ///
  /// - Returns: The progress with these lessons.
  /// - Throws: `UnwritableFile`, also if the file has anything but results of this learner and
  ///   course.
  @discardableResult
  func write(_ progress: CourseProgress) throws(UnwritableFile) -> CourseProgress {
    var all = progress
    if let old = try ownResults() { all.takeOver(old) }
    try replace(all)
    return all
  }

  /// Removes the learner's results from the file, if it has some.
  func forget() throws(UnwritableFile) {
    if try ownResults() != nil { try replace(CourseProgress()) }
  }

  private func replace(_ progress: CourseProgress) throws(UnwritableFile) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let submission = Submission(name: learner, course: course, progress: progress)
    guard let bytes = try? encoder.encode(submission) else { return }
    try FileEnvironment.write(Array(bytes) + [UInt8(ascii: "\n")], to: path)
  }

  /// Why a file is not used.
  struct Fault: Error {
    var reason: String
  }

  /// Reads a file that somebody handed in.
  ///
  /// - Parameter followsLinks: Whether the user named the file. Somebody else chose the links in a
  ///   folder.
  static func read(_ path: String, followsLinks: Bool = false) throws(Fault) -> Submission {
    if !followsLinks, (try? FileStatus(path, followsLinks: false))?.isLink == true {
      throw Fault(reason: "it is a link")
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OpenFile.contents(of: path, atMost: mostBytes)
    } catch {
      throw Fault(
        reason: error == .invalid
          ? "it is not a regular file" : "it cannot be read: \(error.words)")
    }
    guard let submission = try? JSONDecoder().decode(Submission.self, from: Data(bytes)) else {
      throw Fault(reason: "it has no results of 'frc learn --as NAME'")
    }
    if let fault = submission.fault { throw Fault(reason: fault) }
    return submission
  }
}

/// The results in a folder, as `frc learn --collect FOLDER` reads them.
struct SubmissionFolder {
  private(set) var submissions: [Submission] = []
  /// The files that are not used, with the reasons.
  private(set) var faults: [String] = []

  /// Reads all files in a folder whose names end in `.json`, in the order of their names.
  ///
  /// Nil if the folder cannot be read.
  init?(_ folder: String) {
    guard let names = FileEnvironment.names(inFolder: folder) else { return nil }
    var files: [String: String] = [:]
    for name in names.sorted() where name.hasSuffix(".json") && !name.hasPrefix(".") {
      do throws(SubmissionFile.Fault) {
        let submission = try SubmissionFile.read(folder + "/" + name)
        let learner = "\(submission.name)\n\(submission.course)"
        if let other = files[learner] {
          faults.append("'\(name)' has the results of '\(submission.name)', as '\(other)' has")
        }
        files[learner] = name
        submissions.append(submission)
      } catch {
        faults.append("'\(name)' is left out: \(error.reason)")
      }
    }
    if submissions.isEmpty, faults.isEmpty {
      faults.append("no file in '\(folder)' ends in '.json'")
    }
  }
}

extension Submission {
  /// Creates the results of a learner who has not begun.
  fileprivate init(name: String, course: Course) {
    self.init(name: name, course: course, progress: CourseProgress())
  }

  /// Whether the results belong to the same learner and course as others.
  fileprivate func belongs(with other: Submission) -> Bool {
    name == other.name && course == other.course && (mark == nil || mark == other.mark)
  }
}
