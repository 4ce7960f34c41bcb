/// Swift files for an app on an Apple system, which `frc swift` prints.
package enum AppFiles {
  /// Prints what a fetched results controller tells its delegate, as lines that `frc replay` reads.
  package static var recorder: String { PackageResources.FetchedResultsRecorder_swift_txt }

  /// A test with random turns for Apple's NSFetchedResultsController and a list of the user's.
  package static var fuzzer: String { PackageResources.ListFuzzer_swift_txt }
}
