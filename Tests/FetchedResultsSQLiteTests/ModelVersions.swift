import FetchedResults

/// Models of apps with several versions, as short texts.
///
/// Each line is an entity: its name, its earlier name in parentheses, its parent after a colon, and
/// its properties. `name:String?` is an attribute. `books:>Book.author` is a to-many relationship
/// with its inverse, and `author:Author.books` a to-one relationship. `title(name):String` was
/// called `name` before.
enum ModelVersions {
  static func model(_ text: String) throws -> ManagedObjectModel {
    var made: [String: EntityDescription] = [:]
    var order: [EntityDescription] = []
    for line in text.split(separator: "\n").map(String.init) {
      var words = line.split(separator: " ").map(String.init)
      let head = words.removeFirst().split(separator: ":").map(String.init)
      let (name, former) = names(head[0])
      var attributes: [AttributeDescription] = []
      var relationships: [RelationshipDescription] = []
      for word in words where word.contains(":") {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        let (name, former) = names(parts[0])
        let type = parts[1].trimmingSuffix("?")
        if let type = AttributeType(rawValue: type) {
          let isOptional = parts[1].hasSuffix("?")
          let value = isOptional ? .null : type.defaultValue ?? .null
          attributes.append(
            try AttributeDescription(
              name: name, type: type, isOptional: isOptional, defaultValue: value,
              renamingIdentifier: former))
        } else {
          let isToMany = type.hasPrefix(">")
          let path = type.drop { $0 == ">" }.split(separator: ".").map(String.init)
          relationships.append(
            RelationshipDescription(
              name: name, destination: path[0], inverse: path[1], isToMany: isToMany,
              renamingIdentifier: former))
        }
      }
      let entity = try EntityDescription(
        name: name, superentity: head.count > 1 ? made[head[1]] : nil,
        isAbstract: words.contains("abstract"), attributes: attributes,
        relationships: relationships,
        uniquenessConstraints: words.filter { $0.hasPrefix("unique=") }.map {
          $0.dropFirst(7).split(separator: ",").map(String.init)
        }, renamingIdentifier: former)
      made[name] = entity
      order.append(entity)
    }
    return try ManagedObjectModel(entities: order)
  }

  private static func names(_ text: String) -> (name: String, former: String?) {
    let parts = text.split(whereSeparator: "()".contains).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// Moods of people in countries and continents, in six versions.
  static let moods = [moods1, moods2, moods3, moods4, moods5, moods6]

  private static let region = """
    markedForDeletionDate:Date? numberOfMoods:Int64 numericISO3166Code:Int16 uniquenessDummy:Int16 \
    updatedAt:Date unique=numericISO3166Code,uniquenessDummy
    """
  private static let mood = """
    colors:Data? creatorID:String? date:Date latitude:Double? longitude:Double? \
    markedForDeletionDate:Date? markedForRemoteDeletion:Bool
    """
  private static let moods1 = """
    GeographicRegion abstract \(region)
    Continent:GeographicRegion numberOfCountries:Int64 countries:>Country.continent
    Country:GeographicRegion continent:Continent.countries moods:>Mood.country
    Mood \(mood) remoteIdentifier:String? country:Country.moods
    """
  private static let moods2 = """
    GeographicRegion abstract \(region)
    Continent:GeographicRegion numberOfCountries:Int64 countries:>Country.continent
    Country:GeographicRegion continent:Continent.countries moods:>Mood.country
    Mood \(mood) rating:Int16 remoteID(remoteIdentifier):String? country:Country.moods
    """
  private static let moods3 = """
    GeographicRegion abstract \(region)
    Continent:GeographicRegion numberOfCountries:Int64 countries:>Country.continent \
    moods:>Mood.continent
    Country:GeographicRegion continent:Continent.countries moods:>Mood.country
    Mood \(mood) rating:Int16 remoteID(remoteIdentifier):String? continent:Continent.moods \
    country:Country.moods
    """
  private static let moods4 = """
    Continent \(region) numberOfCountries:Int64 countries:>Country.continent moods:>Mood.continent
    Country \(region) continent:Continent.countries moods:>Mood.country
    Mood \(mood) rating:Int16 remoteID(remoteIdentifier):String? continent:Continent.moods \
    country:Country.moods
    """
  private static let moods5 = """
    Country \(region) isoContinent:Int16? moods:>Mood.country
    Mood \(mood) rating:Int16 remoteID(remoteIdentifier):String? country:Country.moods
    """
  private static let moods6 = """
    Continent numericISO3166Code:Int16 countries:>Country.continent
    Country \(region) continent:Continent.countries moods:>Mood.country
    Mood \(mood) rating:Int16 remoteID(remoteIdentifier):String? country:Country.moods
    """

  /// Cars and their owners, in three versions.
  static let cars = [
    """
    Car color:Data? maker:String? markedForDeletionAsOf:Date? model:String? numberPlate:String \
    owner:Person.cars unique=numberPlate
    Person firstName:String? id:UUID? lastName:String? updatedAt:Date cars:>Car.owner \
    unique=firstName,lastName
    SportCar:Car
    ExpensiveSportCar:SportCar isLimitedEdition:Bool?
    """,
    """
    Car maker:String? markedForDeletionAsOf:Date? model:String? numberPlate:String \
    owner:Person.cars unique=numberPlate
    Person firstName:String? lastName:String? updatedAt:Date cars:>Car.owner \
    unique=firstName,lastName
    SportCar:Car
    LuxuryCar(ExpensiveSportCar):SportCar isLimitedEdition:Bool?
    """,
    """
    Car markedForDeletionAsOf:Date? model:String? numberPlate:String owner:Person.cars \
    createdBy:Maker.cars previousOwners:>Person.previousCars unique=numberPlate
    Maker name:String cars:>Car.createdBy unique=name
    Person firstName:String? lastName:String? updatedAt:Date cars:>Car.owner \
    previousCars:>Car.previousOwners unique=firstName,lastName
    SportCar:Car
    LuxuryCar(ExpensiveSportCar):SportCar isLimitedEdition:Bool?
    """,
  ]

  /// Users and their pets, in three versions.
  static let pets = [
    "User name:String petName:String?",
    "Pet name:String owner:User.pet\nUser name:String petName:String? pet:Pet.owner",
    "Pet name:String owner:User.pet\nUser name:String pet:Pet.owner",
  ]
}

extension AttributeType {
  /// The default that Xcode gives to required numbers.
  fileprivate var defaultValue: PropertyValue? {
    switch self {
    case .integer16, .integer32, .integer64: .int(0)
    case .boolean: .bool(false)
    case .string, .double, .float, .decimal, .date, .uuid, .uri, .binaryData: nil
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
