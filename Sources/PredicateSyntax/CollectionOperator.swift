/// The collection operators of key paths, without their `@`.
package enum CollectionOperator: String, CaseIterable, Sendable {
  case count
  case sum
  case avg
  case min
  case max
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case distinctUnionOfSets
}
