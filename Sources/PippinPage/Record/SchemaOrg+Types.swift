extension SchemaOrg {
    /// Whether a type is the other one or below it: a `Bakery` is a `LocalBusiness`, and so a `Place` and an
    /// `Organization`. Unknown types are only what they are.
    public static func isKind(_ type: String, of ancestor: String) -> Bool {
        if type == ancestor { return true }
        var upcoming = parents[type] ?? []
        // The table has no cycles and no chain longer than seven.
        var next = 0
        while next < upcoming.count && next < 64 {
            if upcoming[next] == ancestor { return true }
            upcoming.append(contentsOf: parents[upcoming[next]] ?? [])
            next += 1
        }
        return false
    }

    /// Whether the vocabulary's part that we know has the type.
    public static func isKnownType(_ type: String) -> Bool { parents[type] != nil }

    /// A type and everything above it.
    static func ancestors(of type: String) -> Set<String> {
        var found: Set<String> = [type]
        var upcoming = parents[type] ?? []
        while let next = upcoming.popLast() {
            if found.insert(next).inserted { upcoming.append(contentsOf: parents[next] ?? []) }
        }
        return found
    }

    static var knownTypes: some Collection<String> { parents.keys }

    /// The vocabulary's spelling of a type however its name or address is written: `product`, `schema:Product`,
    /// `http://www.schema.org/Product/`, `http://data-vocabulary.org/Review-aggregate`. Bare names that are not known stay
    /// as they are; addresses of other vocabularies give nil.
    public static func type(_ text: String) -> String? {
        if parents[text] != nil { return text }
        let isAddress = text.utf8.contains(UInt8(ascii: ":"))
        if isAddress {
            let address = String(decoding: text.utf8.prefix(maximumValueBytes).map(\.asciiLowercased), as: UTF8.self)
            guard
                address.contains("schema.org/") || address.hasPrefix("schema:")
                    || address.contains("data-vocabulary.org/")
            else { return nil }
        }
        let name = bareName(text)
        let lower = String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
        if let spelled = spellings[lower] { return spelled }
        if let old = oldNames[lower] { return old }
        return name.isEmpty ? nil : name
    }

    /// Google's vocabulary before schema.org.
    private static let oldNames = [
        "review-aggregate": "AggregateRating", "offer-aggregate": "AggregateOffer", "breadcrumb": "BreadcrumbList",
        "geo": "GeoCoordinates", "address": "PostalAddress",
    ]

    /// Type → the types right above it.
    private static let parents: [String: [String]] = {
        var parents: [String: [String]] = ["Thing": []]
        for line in hierarchy.split(separator: "\n") {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            let parent = String(sides[0])
            for child in sides[1].split(separator: " ") { parents[String(child), default: []].append(parent) }
        }
        return parents
    }()

    private static let spellings: [String: String] = Dictionary(
        parents.keys.map { (String(decoding: $0.utf8.map(\.asciiLowercased), as: UTF8.self), $0) },
        uniquingKeysWith: { first, _ in first })

    /// schema.org 30.0, the parts that say what a page is about: parent, then its children.
    private static let hierarchy = """
        Thing: Action CreativeWork Event Intangible MedicalEntity Organization Person Place Product
        Organization: Airline Consortium Cooperative Corporation EducationalOrganization FundingScheme
        Organization: GovernmentOrganization LibrarySystem LocalBusiness MedicalOrganization NGO NewsMediaOrganization
        Organization: OnlineBusiness PerformingGroup PoliticalParty Project ResearchOrganization SearchRescueOrganization
        Organization: SportsOrganization WorkersUnion
        EducationalOrganization: CollegeOrUniversity ElementarySchool HighSchool MiddleSchool Preschool School
        OnlineBusiness: OnlineStore
        PerformingGroup: DanceGroup MusicGroup TheaterGroup
        SportsOrganization: SportsTeam
        MedicalOrganization: Dentist DiagnosticLab Hospital MedicalClinic Pharmacy Physician VeterinaryCare
        Place: Accommodation AdministrativeArea CivicStructure DefinedRegion Landform LandmarksOrHistoricalBuildings
        Place: LocalBusiness Residence TouristAttraction TouristDestination
        Accommodation: Apartment CampingPitch House Room Suite
        AdministrativeArea: City Country SchoolDistrict State
        CivicStructure: Airport Aquarium Beach BusStation BusStop Campground Cemetery Crematorium EducationalOrganization
        CivicStructure: EventVenue FireStation GovernmentBuilding Hospital MovieTheater Museum MusicVenue Park
        CivicStructure: ParkingFacility PerformingArtsTheater PlaceOfWorship Playground PoliceStation PublicToilet
        CivicStructure: RVPark StadiumOrArena SubwayStation TaxiStand TrainStation Zoo
        Landform: BodyOfWater Continent Mountain Volcano
        LocalBusiness: AnimalShelter ArchiveOrganization AutomotiveBusiness ChildCare Dentist DryCleaningOrLaundry
        LocalBusiness: EmergencyService EmploymentAgency EntertainmentBusiness FinancialService FoodEstablishment
        LocalBusiness: GovernmentOffice HealthAndBeautyBusiness HomeAndConstructionBusiness InternetCafe LegalService
        LocalBusiness: Library LodgingBusiness MedicalBusiness ProfessionalService RadioStation RealEstateAgent
        LocalBusiness: RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation Store TelevisionStation
        LocalBusiness: TouristInformationCenter TravelAgency
        AutomotiveBusiness: AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation
        AutomotiveBusiness: MotorcycleDealer MotorcycleRepair
        EmergencyService: FireStation Hospital PoliceStation
        EntertainmentBusiness: AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub
        FinancialService: AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency
        FoodEstablishment: Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant
        FoodEstablishment: Winery
        GovernmentOffice: PostOffice
        HealthAndBeautyBusiness: BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor
        HomeAndConstructionBusiness: Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany
        HomeAndConstructionBusiness: Plumber RoofingContractor
        LegalService: Attorney Notary
        LodgingBusiness: BedAndBreakfast Campground Hostel Hotel Motel Resort VacationRental
        Resort: SkiResort
        MedicalBusiness: CommunityHealth Dentist Dermatology DietNutrition Emergency Geriatric Gynecologic MedicalClinic
        MedicalBusiness: Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric Pharmacy
        MedicalBusiness: Physician Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth
        MedicalClinic: CovidTestingFacility
        Physician: IndividualPhysician PhysiciansOffice
        SportsActivityLocation: BowlingAlley ExerciseGym GolfCourse HealthClub PublicSwimmingPool SkiResort SportsClub
        SportsActivityLocation: StadiumOrArena TennisComplex
        Store: AutoPartsStore BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore
        Store: ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore
        Store: JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore
        Store: OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore
        Store: WholesaleStore
        CreativeWork: ArchiveComponent Article Blog Book Claim Clip Code Collection ComicStory Comment Conversation Course
        CreativeWork: CreativeWorkSeason CreativeWorkSeries DataCatalog Dataset Diet DigitalDocument Drawing Episode
        CreativeWork: ExercisePlan Game Guide HowTo LearningResource Legislation Manuscript Map MediaObject Menu
        CreativeWork: MenuSection Message Movie MusicComposition MusicPlaylist MusicRecording Painting Photograph Play
        CreativeWork: Poster Quotation Recipe Review Sculpture ShortStory SoftwareApplication SoftwareSourceCode
        CreativeWork: TVSeason TVSeries Thesis VisualArtwork WebContent WebPage WebPageElement WebSite
        Article: AdvertiserContentArticle NewsArticle Report SatiricalArticle ScholarlyArticle SocialMediaPosting
        Article: TechArticle
        NewsArticle: AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle OpinionNewsArticle
        NewsArticle: ReportageNewsArticle ReviewNewsArticle
        SocialMediaPosting: BlogPosting DiscussionForumPosting
        BlogPosting: LiveBlogPosting
        TechArticle: APIReference
        Book: Audiobook
        Clip: MovieClip RadioClip TVClip VideoGameClip
        Comment: Answer Question
        CreativeWorkSeason: PodcastSeason RadioSeason TVSeason
        CreativeWorkSeries: BookSeries MovieSeries Periodical PodcastSeries RadioSeries TVSeries VideoGameSeries
        Episode: PodcastEpisode RadioEpisode TVEpisode
        Game: VideoGame
        HowTo: Recipe
        LearningResource: Course Quiz Syllabus
        MediaObject: 3DModel AmpStory AudioObject DataDownload ImageObject LegislationObject MusicVideoObject TextObject
        MediaObject: VideoObject
        AudioObject: Audiobook AudioObjectSnapshot
        ImageObject: Barcode ImageObjectSnapshot
        VideoObject: VideoObjectSnapshot
        MusicPlaylist: MusicAlbum MusicRelease
        Review: ClaimReview CriticReview EmployerReview MediaReview Recommendation UserReview
        SoftwareApplication: MobileApplication OperatingSystem RuntimePlatform VideoGame WebApplication
        WebPage: AboutPage CheckoutPage CollectionPage ContactPage FAQPage ItemPage MedicalWebPage ProfilePage QAPage
        WebPage: RealEstateListing SearchResultsPage
        CollectionPage: MediaGallery
        MediaGallery: ImageGallery VideoGallery
        WebPageElement: SiteNavigationElement Table WPAdBlock WPFooter WPHeader WPSideBar
        Event: BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent CourseInstance DanceEvent DeliveryEvent
        Event: EducationEvent EventSeries ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent
        Event: PerformingArtsEvent PublicationEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent
        Event: VisualArtsEvent
        PublicationEvent: BroadcastEvent OnDemandEvent
        Product: DietarySupplement Drug IndividualProduct ProductCollection ProductGroup ProductModel SomeProducts Vehicle
        Vehicle: BusOrCoach Car Motorcycle MotorizedBicycle
        Intangible: AggregateOffer Brand Demand EntryPoint Grant ItemList JobPosting Offer Occupation Order
        Intangible: Permit ProgramMembership Rating Reservation Schedule Service StructuredValue Ticket Trip
        Intangible: VirtualLocation
        Offer: AggregateOffer OfferForLease OfferForPurchase
        Rating: AggregateRating EndorsementRating
        ItemList: BreadcrumbList HowToSection HowToStep OfferCatalog
        Service: BroadcastService CableOrSatelliteService FinancialProduct FoodService GovernmentService TaxiService
        Service: WebAPI
        Trip: BoatTrip BusTrip Flight TouristTrip TrainTrip
        StructuredValue: ContactPoint GeoCoordinates GeoShape InteractionCounter MonetaryAmount NutritionInformation
        StructuredValue: OpeningHoursSpecification PriceSpecification PropertyValue QuantitativeValue
        ContactPoint: PostalAddress
        PriceSpecification: CompoundPriceSpecification DeliveryChargeSpecification UnitPriceSpecification
        Action: AchieveAction AssessAction ConsumeAction ControlAction CreateAction FindAction InteractAction MoveAction
        Action: OrganizeAction PlayAction SearchAction SeekToAction SolveMathAction TradeAction TransferAction UpdateAction
        AssessAction: ChooseAction IgnoreAction ReactAction ReviewAction
        ReactAction: AgreeAction DisagreeAction DislikeAction EndorseAction LikeAction WantAction
        ConsumeAction: DrinkAction EatAction InstallAction ListenAction PlayGameAction ReadAction UseAction ViewAction
        ConsumeAction: WatchAction
        InteractAction: BefriendAction CommunicateAction FollowAction JoinAction LeaveAction MarryAction RegisterAction
        InteractAction: SubscribeAction UnRegisterAction
        CommunicateAction: AskAction CheckInAction CheckOutAction CommentAction InformAction InviteAction ReplyAction
        CommunicateAction: ShareAction
        FindAction: CheckAction DiscoverAction TrackAction
        TradeAction: BuyAction OrderAction PayAction PreOrderAction QuoteAction RentAction SellAction TipAction
        TransferAction: BorrowAction DonateAction DownloadAction GiveAction LendAction ReceiveAction ReturnAction SendAction
        """
}
