/// The recorder for apps, as a Swift file.
package enum RecorderSource {
  /// The file's text.
  package static let text = String(
    decoding: PackageResources.FetchedResultsRecorder_swift_txt, as: UTF8.self)
}
