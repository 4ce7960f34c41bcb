import Foundation
import SourceArrows

// Prints which targets, and which folders of each target, use the types of which others: `swift run
// arrows [SOURCES]`. It fails if there is a cycle.
let folder = CommandLine.arguments.dropFirst().first ?? "Sources"
let tree = try SourceTree(URL(fileURLWithPath: folder))
var shown = [("targets", tree.targetArrows)]
for target in tree.targets {
  let arrows = tree.folderArrows(of: target)
  if arrows.layers.flatMap(\.self) != [target] { shown.append(("folders of \(target)", arrows)) }
}
for (title, arrows) in shown {
  print("\(title)\n\n\(arrows.description)\n")
  for cycle in arrows.cycles { print("a cycle:\n\(arrows.explanation(of: cycle))\n") }
}
exit(shown.allSatisfy(\.1.cycles.isEmpty) ? 0 : 1)
