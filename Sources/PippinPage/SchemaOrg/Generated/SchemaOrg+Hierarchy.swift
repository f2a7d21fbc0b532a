// Made by Scripts/schema-org-tables.py: schema.org's types, each with those right below it.

extension SchemaOrg {
    static let hierarchy: StaticString = """
        Accommodation: Apartment CampingPitch House Room Suite
        AchieveAction: LoseAction TieAction WinAction
        Action: AchieveAction AssessAction ConsumeAction ControlAction CreateAction FindAction InteractAction MoveAction
        Action: OrganizeAction PlayAction SearchAction SeekToAction SolveMathAction TradeAction TransferAction
        Action: UpdateAction
        AddAction: InsertAction
        AdministrativeArea: City Country SchoolDistrict State
        AggregateRating: EmployerAggregateRating
        AllocateAction: AcceptAction AssignAction AuthorizeAction RejectAction
        AnatomicalStructure: Bone BrainStructure Joint Ligament Muscle Nerve Vessel
        Article: AdvertiserContentArticle NewsArticle Report SatiricalArticle ScholarlyArticle SocialMediaPosting
        Article: TechArticle
        AssessAction: ChooseAction IgnoreAction ReactAction ReviewAction
        Audience: BusinessAudience EducationalAudience MedicalAudience PeopleAudience Researcher
        AudioObject: AudioObjectSnapshot Audiobook
        AutomotiveBusiness: AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation
        AutomotiveBusiness: MotorcycleDealer MotorcycleRepair
        BankAccount: DepositAccount
        BioChemEntity: ChemicalSubstance Gene MolecularEntity Protein
        BlogPosting: LiveBlogPosting
        BodyOfWater: Canal LakeBodyOfWater OceanBodyOfWater Pond Reservoir RiverBodyOfWater SeaBodyOfWater Waterfall
        Book: Audiobook
        BroadcastChannel: RadioChannel TelevisionChannel
        BroadcastService: RadioBroadcastService
        CategoryCode: MedicalCode
        ChooseAction: VoteAction
        Church: CatholicChurch
        CivicStructure: Airport Aquarium Beach BoatTerminal Bridge BusStation BusStop Campground Cemetery Crematorium
        CivicStructure: EducationalOrganization EventVenue FireStation GovernmentBuilding Hospital MovieTheater Museum
        CivicStructure: MusicVenue Park ParkingFacility PerformingArtsTheater PlaceOfWorship Playground PoliceStation
        CivicStructure: PublicToilet RVPark StadiumOrArena SubwayStation TaxiStand TrainStation Zoo
        Clip: MovieClip RadioClip TVClip VideoGameClip
        Collection: ProductCollection
        CollectionPage: MediaGallery
        ComicStory: ComicCoverArt
        Comment: Answer CorrectionComment Question
        CommunicateAction: AskAction CheckInAction CheckOutAction CommentAction InformAction InviteAction ReplyAction
        CommunicateAction: ShareAction
        ConstraintNode: StatisticalVariable
        ConsumeAction: DrinkAction EatAction InstallAction ListenAction PlayGameAction ReadAction UseAction ViewAction
        ConsumeAction: WatchAction
        ContactPoint: PostalAddress
        ControlAction: ActivateAction DeactivateAction ResumeAction SuspendAction
        CoverArt: ComicCoverArt
        CreateAction: CookAction DrawAction FilmAction PaintAction PhotographAction WriteAction
        CreativeWork: AmpStory ArchiveComponent Article Atlas Blog Book Certification Chapter Claim Clip Code Collection
        CreativeWork: ComicStory Comment Conversation Course CreativeWorkSeason CreativeWorkSeries Credential
        CreativeWork: DataCatalog Dataset DefinedTermSet Diet DigitalDocument Drawing EducationalOccupationalCredential
        CreativeWork: Episode ExercisePlan Game Guide HowTo HowToDirection HowToSection HowToStep HowToTip HyperToc
        CreativeWork: HyperTocEntry LearningResource Legislation Manuscript Map MathSolver MediaObject MediaReviewItem
        CreativeWork: Menu MenuSection Message Movie MusicComposition MusicPlaylist MusicRecording Painting Photograph
        CreativeWork: Play Poster PublicationIssue PublicationVolume Quotation Recipe Review Sculpture Season SheetMusic
        CreativeWork: ShortStory SoftwareApplication SoftwareSourceCode SpecialAnnouncement Statement TVSeason TVSeries
        CreativeWork: Thesis VisualArtwork WebContent WebPage WebPageElement WebSite
        CreativeWorkSeason: PodcastSeason RadioSeason TVSeason
        CreativeWorkSeries: BookSeries MovieSeries Periodical PodcastSeries RadioSeries TVSeries VideoGameSeries
        CriticReview: ReviewNewsArticle
        DataFeed: CompleteDataFeed
        Dataset: DataFeed
        DefinedTerm: CategoryCode
        DefinedTermSet: CategoryCodeSet
        DigitalDocument: NoteDigitalDocument PresentationDigitalDocument SpreadsheetDigitalDocument TextDigitalDocument
        DoseSchedule: MaximumDoseSchedule RecommendedDoseSchedule ReportedDoseSchedule
        EducationalOccupationalProgram: WorkBasedProgram
        EducationalOrganization: CollegeOrUniversity ElementarySchool HighSchool MiddleSchool Preschool School
        EmergencyService: FireStation Hospital PoliceStation
        EnergyEfficiencyEnumeration: EUEnergyEfficiencyEnumeration EnergyStarEnergyEfficiencyEnumeration
        EntertainmentBusiness: AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub
        Enumeration: AdultOrientedEnumeration BoardingPolicyType BookFormatType BusinessEntityType BusinessFunction
        Enumeration: CarUsageType CertificationStatusEnumeration ContactPointOption DayOfWeek DeliveryMethod
        Enumeration: DigitalDocumentPermissionType DigitalPlatformEnumeration EnergyEfficiencyEnumeration
        Enumeration: EventAttendanceModeEnumeration FulfillmentTypeEnumeration GameAvailabilityEnumeration GamePlayMode
        Enumeration: GenderType GovernmentBenefitsType HealthAspectEnumeration IPTCDigitalSourceEnumeration
        Enumeration: IncentiveQualifiedExpenseType IncentiveStatus IncentiveType ItemAvailability ItemListOrderType
        Enumeration: LegalValueLevel MapCategoryType MeasurementMethodEnum MeasurementTypeEnumeration MediaEnumeration
        Enumeration: MediaManipulationRatingEnumeration MedicalEnumeration MerchantReturnEnumeration
        Enumeration: MusicAlbumProductionType MusicAlbumReleaseType MusicReleaseFormatType NonprofitType
        Enumeration: OfferItemCondition PaymentMethod PaymentMethodType PhysicalActivityCategory
        Enumeration: PriceComponentTypeEnumeration PriceTypeEnumeration ProductReturnEnumeration PurchaseType
        Enumeration: QualitativeValue RefundTypeEnumeration RestrictedDiet ReturnFeesEnumeration
        Enumeration: ReturnLabelSourceEnumeration ReturnMethodEnumeration RsvpResponseType SizeGroupEnumeration
        Enumeration: SizeSystemEnumeration Specialty StatusEnumeration TierBenefitEnumeration WarrantyScope
        Episode: PodcastEpisode RadioEpisode TVEpisode
        Event: BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent CourseInstance DanceEvent DeliveryEvent
        Event: EducationEvent EventSeries ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent
        Event: PerformingArtsEvent PublicationEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent
        Event: UserInteraction VisualArtsEvent
        FinancialProduct: BankAccount CurrencyConversionService InvestmentOrDeposit LoanOrCredit PaymentCard
        FinancialProduct: PaymentService
        FinancialService: AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency
        FindAction: CheckAction DiscoverAction TrackAction
        FoodEstablishment: Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop
        FoodEstablishment: Restaurant Winery
        Game: VideoGame
        GeoShape: GeoCircle
        GovernmentBuilding: CityHall Courthouse DefenceEstablishment Embassy LegislativeBuilding
        GovernmentOffice: PostOffice
        Grant: MonetaryGrant
        HealthAndBeautyBusiness: BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor
        HomeAndConstructionBusiness: Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany
        HomeAndConstructionBusiness: Plumber RoofingContractor
        House: SingleFamilyResidence
        HowTo: Recipe
        HowToItem: HowToSupply HowToTool
        ImageObject: Barcode ImageObjectSnapshot
        InformAction: ConfirmAction RsvpAction
        InsertAction: AppendAction PrependAction
        Intangible: ActionAccessSpecification AggregateOffer AlignmentObject Audience BedDetails Brand BroadcastChannel
        Intangible: BroadcastFrequencySpecification Class ComputerLanguage ConstraintNode DataFeedItem DefinedTerm
        Intangible: Demand DigitalDocumentPermission EducationalOccupationalProgram EnergyConsumptionDetails EntryPoint
        Intangible: Enumeration Error FinancialIncentive FloorPlan GameServer GeospatialGeometry Grant
        Intangible: HealthInsurancePlan HealthPlanCostSharingSpecification HealthPlanFormulary HealthPlanNetwork Invoice
        Intangible: ItemList JobPosting Language ListItem MediaSubscription MemberProgram MemberProgramTier MenuItem
        Intangible: MerchantReturnPolicy MerchantReturnPolicySeasonalOverride Observation Occupation
        Intangible: OccupationalExperienceRequirements Offer Order OrderItem ParcelDelivery Permit ProductReturnPolicy
        Intangible: ProgramMembership Property PropertyValueSpecification Quantity Rating Reservation Role Schedule Seat
        Intangible: Series Service ServiceChannel SpeakableSpecification StatisticalPopulation StructuredValue Ticket
        Intangible: Trip VirtualLocation
        InteractAction: BefriendAction CommunicateAction FollowAction JoinAction LeaveAction MarryAction RegisterAction
        InteractAction: SubscribeAction UnRegisterAction
        InvestmentOrDeposit: BrokerageAccount DepositAccount InvestmentFund
        ItemList: BreadcrumbList HowToSection HowToStep OfferCatalog
        Landform: BodyOfWater Continent Mountain Volcano
        LearningResource: Course Quiz Syllabus
        LegalService: Attorney Notary
        Legislation: LegislationObject
        LifestyleModification: Diet PhysicalActivity
        ListItem: HowToDirection HowToItem HowToSection HowToStep HowToTip
        LoanOrCredit: CreditCard MortgageLoan
        LocalBusiness: AnimalShelter ArchiveOrganization AutomotiveBusiness ChildCare Dentist DryCleaningOrLaundry
        LocalBusiness: EmergencyService EmploymentAgency EntertainmentBusiness FinancialService FoodEstablishment
        LocalBusiness: GovernmentOffice HealthAndBeautyBusiness HomeAndConstructionBusiness InternetCafe LegalService
        LocalBusiness: Library LodgingBusiness MedicalBusiness ProfessionalService RadioStation RealEstateAgent
        LocalBusiness: RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation Store TelevisionStation
        LocalBusiness: TouristInformationCenter TravelAgency
        LodgingBusiness: BedAndBreakfast Campground Hostel Hotel Motel Resort VacationRental
        MeasurementTypeEnumeration: BodyMeasurementTypeEnumeration WearableMeasurementTypeEnumeration
        MediaGallery: ImageGallery VideoGallery
        MediaObject: 3DModel AmpStory AudioObject DataDownload ImageObject LegislationObject MusicVideoObject TextObject
        MediaObject: VideoObject
        MedicalAudience: Patient
        MedicalBusiness: CommunityHealth Dentist Dermatology DietNutrition Emergency Geriatric Gynecologic MedicalClinic
        MedicalBusiness: Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric Pharmacy
        MedicalBusiness: Physician Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth
        MedicalClinic: CovidTestingFacility
        MedicalCondition: InfectiousDisease MedicalSignOrSymptom
        MedicalEntity: AnatomicalStructure AnatomicalSystem DrugClass DrugCost LifestyleModification MedicalCause
        MedicalEntity: MedicalCondition MedicalContraindication MedicalDevice MedicalGuideline MedicalIndication
        MedicalEntity: MedicalIntangible MedicalProcedure MedicalRiskEstimator MedicalRiskFactor MedicalStudy
        MedicalEntity: MedicalTest Substance SuperficialAnatomy
        MedicalEnumeration: DrugCostCategory DrugPregnancyCategory DrugPrescriptionStatus InfectiousAgentClass
        MedicalEnumeration: MedicalAudienceType MedicalDevicePurpose MedicalEvidenceLevel MedicalImagingTechnique
        MedicalEnumeration: MedicalObservationalStudyDesign MedicalProcedureType MedicalSpecialty MedicalStudyStatus
        MedicalEnumeration: MedicalTrialDesign MedicineSystem PhysicalExam
        MedicalGuideline: MedicalGuidelineContraindication MedicalGuidelineRecommendation
        MedicalIndication: ApprovedIndication PreventionIndication TreatmentIndication
        MedicalIntangible: DDxElement DoseSchedule DrugLegalStatus DrugStrength MedicalCode MedicalConditionStage
        MedicalOrganization: Dentist DiagnosticLab Hospital MedicalClinic Pharmacy Physician VeterinaryCare
        MedicalProcedure: DiagnosticProcedure PalliativeProcedure PhysicalExam SurgicalProcedure TherapeuticProcedure
        MedicalRiskEstimator: MedicalRiskCalculator MedicalRiskScore
        MedicalSign: VitalSign
        MedicalSignOrSymptom: MedicalSign MedicalSymptom
        MedicalStudy: MedicalObservationalStudy MedicalTrial
        MedicalTest: BloodTest ImagingTest MedicalTestPanel PathologyTest
        MedicalTherapy: OccupationalTherapy PalliativeProcedure PhysicalTherapy RadiationTherapy RespiratoryTherapy
        Message: EmailMessage
        MoveAction: ArriveAction DepartAction TravelAction
        MusicPlaylist: MusicAlbum MusicRelease
        NewsArticle: AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle OpinionNewsArticle
        NewsArticle: ReportageNewsArticle ReviewNewsArticle
        NonprofitType: NLNonprofitType UKNonprofitType USNonprofitType
        Number: Float Integer
        Offer: AggregateOffer OfferForLease OfferForPurchase
        OnlineBusiness: OnlineStore
        Organization: Airline Consortium Cooperative Corporation EducationalOrganization FundingScheme
        Organization: GovernmentOrganization LibrarySystem LocalBusiness MedicalOrganization NGO NewsMediaOrganization
        Organization: OnlineBusiness PerformingGroup PoliticalParty Project ResearchOrganization
        Organization: SearchRescueOrganization SportsOrganization WorkersUnion
        OrganizationRole: EmployeeRole
        OrganizeAction: AllocateAction ApplyAction BookmarkAction PlanAction
        PaymentCard: CreditCard
        PaymentMethod: PaymentCard
        PeopleAudience: MedicalAudience ParentAudience
        PerformingGroup: DanceGroup MusicGroup TheaterGroup
        Periodical: ComicSeries Newspaper
        Permit: GovernmentPermit
        Person: Patient
        PhysicalActivity: ExercisePlan
        Physician: IndividualPhysician PhysiciansOffice
        Place: Accommodation AdministrativeArea CivicStructure DefinedRegion Landform LandmarksOrHistoricalBuildings
        Place: LocalBusiness Residence TouristAttraction TouristDestination
        PlaceOfWorship: BuddhistTemple Church HinduTemple Mosque Synagogue
        PlanAction: CancelAction ReserveAction ScheduleAction
        PlayAction: ExerciseAction PerformAction
        PriceSpecification: CompoundPriceSpecification DeliveryChargeSpecification PaymentChargeSpecification
        PriceSpecification: UnitPriceSpecification
        Product: DietarySupplement Drug IndividualProduct ProductCollection ProductGroup ProductModel SomeProducts
        Product: Vehicle
        Project: FundingAgency ResearchProject
        PropertyValue: LocationFeatureSpecification
        PublicationEvent: BroadcastEvent OnDemandEvent
        PublicationIssue: ComicIssue
        QualitativeValue: BedType DriveWheelConfigurationValue SizeSpecification SteeringPositionValue
        QuantitativeValueDistribution: MonetaryAmountDistribution
        Quantity: Distance Duration Energy Mass
        RadioChannel: AMRadioChannel FMRadioChannel
        Rating: AggregateRating EndorsementRating
        ReactAction: AgreeAction DisagreeAction DislikeAction EndorseAction LikeAction WantAction
        Reservation: BoatReservation BusReservation EventReservation FlightReservation FoodEstablishmentReservation
        Reservation: LodgingReservation RentalCarReservation ReservationPackage TaxiReservation TrainReservation
        Residence: ApartmentComplex GatedResidenceCommunity
        Resort: SkiResort
        Review: ClaimReview CriticReview EmployerReview MediaReview Recommendation UserReview
        Role: LinkRole OrganizationRole PerformanceRole
        Room: HotelRoom MeetingRoom
        ScholarlyArticle: MedicalScholarlyArticle
        Series: CreativeWorkSeries EventSeries
        Service: BroadcastService CableOrSatelliteService FinancialProduct FoodService GovernmentService Taxi
        Service: TaxiService WebAPI
        SizeGroupEnumeration: WearableSizeGroupEnumeration
        SizeSystemEnumeration: WearableSizeSystemEnumeration
        SocialMediaPosting: BlogPosting DiscussionForumPosting
        SoftwareApplication: MobileApplication OperatingSystem RuntimePlatform VideoGame WebApplication
        Specialty: MedicalSpecialty
        SportsActivityLocation: BowlingAlley ExerciseGym GolfCourse HealthClub PublicSwimmingPool SkiResort SportsClub
        SportsActivityLocation: StadiumOrArena TennisComplex
        SportsOrganization: SportsTeam
        StatusEnumeration: ActionStatusType EventStatusType GameServerStatus LegalForceStatus OrderStatus
        StatusEnumeration: PaymentStatusType ReservationStatusType
        Store: AutoPartsStore BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore
        Store: ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore
        Store: JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore
        Store: OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore
        Store: WholesaleStore
        StructuredValue: CDCPMDRecord ContactPoint DatedMoneySpecification DefinedRegion DeliveryTimeSettings
        StructuredValue: EngineSpecification ExchangeRateSpecification GeoCoordinates GeoShape InteractionCounter
        StructuredValue: MonetaryAmount NutritionInformation OfferShippingDetails OpeningHoursSpecification
        StructuredValue: OwnershipInfo PostalCodeRangeSpecification PriceSpecification PropertyValue QuantitativeValue
        StructuredValue: QuantitativeValueDistribution RepaymentSpecification ServicePeriod ShippingConditions
        StructuredValue: ShippingDeliveryTime ShippingRateSettings ShippingService TypeAndQuantityNode WarrantyPromise
        Substance: DietarySupplement Drug
        TechArticle: APIReference
        Text: CssSelectorType PronounceableText URL XPathType
        TherapeuticProcedure: MedicalTherapy PsychologicalTreatment
        Thing: Action BioChemEntity CreativeWork Event Intangible MedicalEntity Organization Person Place Product
        Thing: StupidType Taxon
        TradeAction: BuyAction DonateAction OrderAction PayAction PreOrderAction QuoteAction RentAction SellAction
        TradeAction: TipAction
        TransferAction: BorrowAction DonateAction DownloadAction GiveAction LendAction MoneyTransfer ReceiveAction
        TransferAction: ReturnAction SendAction TakeAction
        Trip: BoatTrip BusTrip Flight TouristTrip TrainTrip
        UpdateAction: AddAction DeleteAction ReplaceAction
        UseAction: WearAction
        UserInteraction: UserBlocks UserCheckins UserComments UserDownloads UserLikes UserPageVisits UserPlays
        UserInteraction: UserPlusOnes UserTweets
        Vehicle: BusOrCoach Car Motorcycle MotorizedBicycle
        Vessel: Artery LymphaticVessel Vein
        VideoObject: VideoObjectSnapshot
        VisualArtwork: CoverArt
        WebContent: HealthTopicContent
        WebPage: AboutPage CheckoutPage CollectionPage ContactPage FAQPage ItemPage MedicalWebPage ProfilePage QAPage
        WebPage: RealEstateListing SearchResultsPage
        WebPageElement: SiteNavigationElement Table WPAdBlock WPFooter WPHeader WPSideBar
        rdf-schema#Class: DataType
        """
}
