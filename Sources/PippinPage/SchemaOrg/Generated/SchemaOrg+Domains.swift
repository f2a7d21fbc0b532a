// Made by Scripts/schema-org-tables.py: schema.org's types, each with the properties it brings.

extension SchemaOrg {
    static let domains: StaticString = """
        3DModel: isResizable
        APIReference: assembly assemblyVersion executableLibraryName programmingModel targetPlatform
        Accommodation: accommodationCategory accommodationFloorPlan amenityFeature bed floorLevel floorSize leaseLength
        Accommodation: numberOfBathroomsTotal numberOfBedrooms numberOfFullBathrooms numberOfPartialBathrooms
        Accommodation: numberOfRooms occupancy permittedUsage petsAllowed tourBookingPage yearBuilt
        Action: actionProcess actionStatus agent endTime error instrument location object participant provider result
        Action: startTime target
        ActionAccessSpecification: availabilityEnds availabilityStarts category eligibleRegion expectsAcceptanceOf
        ActionAccessSpecification: ineligibleRegion requiresSubscription
        AggregateOffer: highPrice lowPrice offerCount offers
        AggregateRating: itemReviewed ratingCount reviewCount
        Airline: boardingPolicy iataCode
        Airport: iataCode icaoCode
        AlignmentObject: alignmentType educationalFramework targetDescription targetName targetUrl
        AnatomicalStructure: associatedPathophysiology bodyLocation connectedTo diagram partOfSystem relatedCondition
        AnatomicalStructure: relatedTherapy subStructure
        AnatomicalSystem: associatedPathophysiology comprisedOf relatedCondition relatedStructure relatedTherapy
        Answer: answerExplanation parentItem
        Apartment: numberOfRooms occupancy
        ApartmentComplex: numberOfAccommodationUnits numberOfAvailableAccommodationUnits numberOfBedrooms petsAllowed
        ApartmentComplex: tourBookingPage
        ArchiveComponent: holdingArchive itemLocation
        ArchiveOrganization: archiveHeld
        Artery: arterialBranch supplyTo
        Article: articleBody articleSection backstory pageEnd pageStart pagination speakable wordCount
        AskAction: question
        Audience: audienceType geographicArea
        AudioObject: caption embeddedTextCaption transcript
        Audiobook: duration readBy
        AuthorizeAction: recipient
        BankAccount: accountMinimumInflow accountOverdraftLimit bankAccountType
        BedDetails: numberOfBeds typeOfBed
        BioChemEntity: associatedDisease bioChemInteraction bioChemSimilarity biologicalRole funding
        BioChemEntity: hasBioChemEntityPart hasMolecularFunction hasRepresentation isEncodedByBioChemEntity
        BioChemEntity: isInvolvedInBiologicalProcess isLocatedInSubcellularLocation isPartOfBioChemEntity taxonomicRange
        Blog: blogPost blogPosts issn
        BoatTrip: arrivalBoatTerminal departureBoatTerminal
        Book: abridged bookEdition bookFormat illustrator isbn numberOfPages
        BorrowAction: lender
        Brand: aggregateRating logo review slogan
        BroadcastChannel: broadcastChannelId broadcastFrequency broadcastServiceTier genre inBroadcastLineup
        BroadcastChannel: providesBroadcastService
        BroadcastEvent: broadcastOfEvent isLiveBroadcast subtitleLanguage videoFormat
        BroadcastFrequencySpecification: broadcastFrequencyValue broadcastSignalModulation broadcastSubChannel
        BroadcastService: area broadcastAffiliateOf broadcastDisplayName broadcastFrequency broadcastTimezone
        BroadcastService: broadcaster callSign hasBroadcastChannel inLanguage parentService videoFormat
        BusOrCoach: acrissCode roofLoad
        BusTrip: arrivalBusStop busName busNumber departureBusStop
        BusinessAudience: numberOfEmployees yearlyRevenue yearsInOperation
        BuyAction: seller vendor warrantyPromise
        CDCPMDRecord: cvdCollectionDate cvdFacilityCounty cvdFacilityId cvdNumBeds cvdNumBedsOcc cvdNumC19Died
        CDCPMDRecord: cvdNumC19HOPats cvdNumC19HospPats cvdNumC19MechVentPats cvdNumC19OFMechVentPats
        CDCPMDRecord: cvdNumC19OverflowPats cvdNumICUBeds cvdNumICUBedsOcc cvdNumTotBeds cvdNumVent cvdNumVentUse
        CDCPMDRecord: datePosted
        Car: acrissCode roofLoad
        CategoryCode: codeValue inCodeSet
        CategoryCodeSet: hasCategoryCode
        Certification: about auditDate certificationIdentification certificationRating certificationStatus datePublished
        Certification: expires hasMeasurement issuedBy logo validFrom validIn
        Chapter: pageEnd pageStart pagination
        ChemicalSubstance: chemicalComposition chemicalRole potentialUse
        ChooseAction: actionOption option
        CivicStructure: openingHours
        Claim: appearance claimInterpreter firstAppearance
        ClaimReview: claimReviewed
        Class: supersededBy
        Clip: actor actors clipNumber director directors endOffset musicBy partOfEpisode partOfSeason partOfSeries
        Clip: startOffset
        Collection: collectionSize
        ComicIssue: artist colorist inker letterer penciler variantCover
        ComicStory: artist colorist inker letterer penciler
        Comment: downvoteCount parentItem sharedContent upvoteCount
        CommentAction: resultComment
        CommunicateAction: about inLanguage language recipient
        CompoundPriceSpecification: priceComponent priceType
        ConstraintNode: constraintProperty numConstraints
        ConsumeAction: actionAccessibilityRequirement expectsAcceptanceOf
        ContactPoint: areaServed availableLanguage contactOption contactType email faxNumber hoursAvailable
        ContactPoint: productSupported serviceArea telephone
        CookAction: foodEstablishment foodEvent recipe
        Corporation: tickerSymbol
        Course: availableLanguage courseCode coursePrerequisites educationalCredentialAwarded financialAidEligible
        Course: hasCourseInstance numberOfCredits occupationalCredentialAwarded syllabusSections
        Course: totalHistoricalEnrollment
        CourseInstance: courseMode courseSchedule courseWorkload instructor
        CreativeWork: about abstract accessMode accessModeSufficient accessibilityAPI accessibilityControl
        CreativeWork: accessibilityFeature accessibilityHazard accessibilitySummary accountablePerson acquireLicensePage
        CreativeWork: aggregateRating alternativeHeadline archivedAt assesses associatedMedia audience audio author
        CreativeWork: award awards character citation comment commentCount conditionsOfAccess contentLocation
        CreativeWork: contentRating contentReferenceTime contributor copyrightHolder copyrightNotice copyrightYear
        CreativeWork: correction countryOfOrigin creativeWorkStatus creator creditText dateCreated dateModified
        CreativeWork: datePublished digitalSourceType discussionUrl editEIDR editor educationalAlignment
        CreativeWork: educationalLevel educationalUse encoding encodingFormat encodings exampleOfWork expires fileFormat
        CreativeWork: funder funding genre hasPart headline inLanguage interactionStatistic interactivityType
        CreativeWork: interpretedAsClaim isAccessibleForFree isBasedOn isBasedOnUrl isFamilyFriendly isPartOf keywords
        CreativeWork: learningResourceType license locationCreated mainEntity maintainer material materialExtent
        CreativeWork: mentions offers pattern position producer provider publication publisher publisherImprint
        CreativeWork: publishingPrinciples recordedAt releasedEvent review reviews schemaVersion sdDatePublished
        CreativeWork: sdLicense sdPublisher size sourceOrganization spatial spatialCoverage sponsor teaches temporal
        CreativeWork: temporalCoverage text thumbnail thumbnailUrl timeRequired translationOfWork translator
        CreativeWork: typicalAgeRange usageInfo version video wordCount workExample workTranslation
        CreativeWorkSeason: actor director endDate episode episodes numberOfEpisodes partOfSeries productionCompany
        CreativeWorkSeason: seasonNumber startDate trailer
        CreativeWorkSeries: endDate issn startDate
        DDxElement: diagnosis distinguishingSign
        DataCatalog: dataset measurementMethod measurementTechnique
        DataDownload: measurementMethod measurementTechnique
        DataFeed: dataFeedElement
        DataFeedItem: dateCreated dateDeleted dateModified item
        Dataset: catalog datasetTimeInterval distribution includedDataCatalog includedInDataCatalog issn
        Dataset: measurementMethod measurementTechnique variableMeasured variablesMeasured
        DatedMoneySpecification: amount currency endDate startDate
        DefinedRegion: addressCountry addressRegion postalCode postalCodePrefix postalCodeRange
        DefinedTerm: inDefinedTermSet termCode
        DefinedTermSet: hasDefinedTerm
        DeliveryChargeSpecification: appliesToDeliveryMethod areaServed eligibleRegion ineligibleRegion
        DeliveryEvent: accessCode availableFrom availableThrough hasDeliveryMethod
        DeliveryTimeSettings: deliveryTime isUnlabelledFallback shippingDestination transitTimeLabel
        Demand: acceptedPaymentMethod advanceBookingRequirement areaServed asin availability availabilityEnds
        Demand: availabilityStarts availableAtOrFrom availableDeliveryMethod businessFunction deliveryLeadTime
        Demand: eligibleCustomerType eligibleDuration eligibleQuantity eligibleRegion eligibleTransactionVolume gtin
        Demand: gtin12 gtin13 gtin14 gtin8 includesObject ineligibleRegion inventoryLevel itemCondition itemOffered mpn
        Demand: priceSpecification seller serialNumber sku validFrom validThrough warranty
        DiagnosticLab: availableTest
        Diet: dietFeatures endorsers expertConsiderations physiologicalBenefits risks
        DietarySupplement: activeIngredient isProprietary legalStatus manufacturer maximumIntake mechanismOfAction
        DietarySupplement: nonProprietaryName proprietaryName recommendedIntake safetyConsideration targetPopulation
        DigitalDocument: hasDigitalDocumentPermission
        DigitalDocumentPermission: grantee permissionType
        DonateAction: price priceCurrency priceSpecification recipient
        DoseSchedule: doseUnit doseValue frequency targetPopulation
        Drug: activeIngredient administrationRoute alcoholWarning availableStrength breastfeedingWarning
        Drug: clincalPharmacology clinicalPharmacology dosageForm doseSchedule drugClass drugUnit foodWarning
        Drug: includedInHealthInsurancePlan interactingDrug isAvailableGenerically isProprietary labelDetails
        Drug: legalStatus manufacturer maximumIntake mechanismOfAction nonProprietaryName overdosage pregnancyCategory
        Drug: pregnancyWarning prescribingInfo prescriptionStatus proprietaryName relatedDrug rxcui warning
        DrugClass: drug
        DrugCost: applicableLocation costCategory costCurrency costOrigin costPerUnit drugUnit
        DrugLegalStatus: applicableLocation
        DrugStrength: activeIngredient availableIn maximumIntake strengthUnit strengthValue
        EducationEvent: assesses educationalLevel teaches
        EducationalAudience: educationalRole
        EducationalOccupationalCredential: competencyRequired credentialCategory educationalLevel recognizedBy validFor
        EducationalOccupationalCredential: validIn
        EducationalOccupationalProgram: applicationDeadline applicationStartDate dayOfWeek educationalCredentialAwarded
        EducationalOccupationalProgram: educationalProgramMode endDate financialAidEligible hasCourse maximumEnrollment
        EducationalOccupationalProgram: numberOfCredits occupationalCategory occupationalCredentialAwarded offers
        EducationalOccupationalProgram: programPrerequisites programType provider salaryUponCompletion startDate
        EducationalOccupationalProgram: termDuration termsPerYear timeOfDay timeToComplete trainingSalary
        EducationalOccupationalProgram: typicalCreditsPerTerm
        EducationalOrganization: alumni
        EmployeeRole: baseSalary salaryCurrency
        EndorseAction: endorsee
        EnergyConsumptionDetails: energyEfficiencyScaleMax energyEfficiencyScaleMin hasEnergyEfficiencyCategory
        EngineSpecification: engineDisplacement enginePower engineType fuelType torque
        EntryPoint: actionApplication actionPlatform application contentType encodingType httpMethod urlTemplate
        Enumeration: supersededBy
        Episode: actor actors director directors duration episodeNumber musicBy partOfSeason partOfSeries
        Episode: productionCompany trailer
        Error: errorCode
        Event: about actor aggregateRating attendee attendees audience composer contributor director doorTime duration
        Event: endDate eventAttendanceMode eventSchedule eventStatus funder funding inLanguage isAccessibleForFree
        Event: keywords location maximumAttendeeCapacity maximumPhysicalAttendeeCapacity maximumVirtualAttendeeCapacity
        Event: offers organizer performer performers previousStartDate recordedIn remainingAttendeeCapacity review
        Event: sponsor startDate subEvent subEvents superEvent translator typicalAgeRange workFeatured workPerformed
        ExchangeRateSpecification: currency currentExchangeRate exchangeRateSpread
        ExerciseAction: course diet distance exerciseCourse exercisePlan exerciseRelatedDiet exerciseType fromLocation
        ExerciseAction: opponent sportsActivityLocation sportsEvent sportsTeam toLocation
        ExercisePlan: activityDuration activityFrequency additionalVariable exerciseType intensity repetitions
        ExercisePlan: restPeriods workload
        FinancialIncentive: areaServed eligibleWithSupplier incentiveAmount incentiveStatus incentiveType
        FinancialIncentive: incentivizedItem incomeLimit provider publisher purchasePriceLimit purchaseType
        FinancialIncentive: qualifiedExpense validFrom validThrough
        FinancialProduct: annualPercentageRate feesAndCommissionsSpecification interestRate
        FinancialService: feesAndCommissionsSpecification
        Flight: aircraft arrivalAirport arrivalGate arrivalTerminal boardingPolicy carrier departureAirport
        Flight: departureGate departureTerminal estimatedFlightDuration flightDistance flightNumber mealService seller
        Flight: webCheckinTime
        FlightReservation: boardingGroup passengerPriorityStatus passengerSequenceNumber securityScreening
        FloorPlan: amenityFeature floorSize isPlanForApartment layoutImage numberOfAccommodationUnits
        FloorPlan: numberOfAvailableAccommodationUnits numberOfBathroomsTotal numberOfBedrooms numberOfFullBathrooms
        FloorPlan: numberOfPartialBathrooms numberOfRooms petsAllowed
        FollowAction: followee
        FoodEstablishment: acceptsReservations hasMenu menu servesCuisine starRating
        FoodEstablishmentReservation: endTime partySize startTime
        Game: characterAttribute gameItem gameLocation numberOfPlayers quest
        GameServer: game playersOnline serverStatus
        Gene: alternativeOf encodesBioChemEntity expressedIn hasBioPolymerSequence
        GeoCircle: geoMidpoint geoRadius
        GeoCoordinates: address addressCountry elevation latitude longitude postalCode
        GeoShape: address addressCountry box circle elevation line polygon postalCode
        GeospatialGeometry: geoContains geoCoveredBy geoCovers geoCrosses geoDisjoint geoEquals geoIntersects
        GeospatialGeometry: geoOverlaps geoTouches geoWithin
        GiveAction: recipient
        GovernmentService: jurisdiction serviceOperator
        Grant: fundedItem funder sponsor
        Guide: reviewAspect
        HealthInsurancePlan: benefitsSummaryUrl contactPoint healthPlanDrugOption healthPlanDrugTier healthPlanId
        HealthInsurancePlan: healthPlanMarketingUrl includesHealthPlanFormulary includesHealthPlanNetwork
        HealthInsurancePlan: usesHealthPlanIdStandard
        HealthPlanCostSharingSpecification: healthPlanCoinsuranceOption healthPlanCoinsuranceRate healthPlanCopay
        HealthPlanCostSharingSpecification: healthPlanCopayOption healthPlanPharmacyCategory
        HealthPlanFormulary: healthPlanCostSharing healthPlanDrugTier offersPrescriptionByMail
        HealthPlanNetwork: healthPlanCostSharing healthPlanNetworkId healthPlanNetworkTier
        HealthTopicContent: hasHealthAspect
        Hospital: availableService healthcareReportingData medicalSpecialty
        HotelRoom: bed occupancy
        House: numberOfRooms
        HowTo: estimatedCost performTime prepTime step steps supply tool totalTime yield
        HowToDirection: afterMedia beforeMedia duringMedia performTime prepTime supply tool totalTime
        HowToItem: requiredQuantity
        HowToSection: steps
        HowToSupply: estimatedCost
        HyperToc: associatedMedia tocEntry
        HyperTocEntry: associatedMedia tocContinuation utterances
        ImageObject: caption embeddedTextCaption exifData representativeOfPage thumbnail
        ImagingTest: imagingTechnique
        IndividualPhysician: practicesAt
        IndividualProduct: serialNumber
        InfectiousDisease: infectiousAgent infectiousAgentClass transmissionMethod
        InformAction: event
        InsertAction: toLocation
        InteractionCounter: endTime interactionService interactionType location startTime userInteractionCount
        InvestmentOrDeposit: amount
        InviteAction: event
        Invoice: accountId billingPeriod broker category confirmationNumber customer minimumPaymentDue paymentDue
        Invoice: paymentDueDate paymentMethod paymentMethodId paymentStatus provider referencesOrder
        Invoice: scheduledPaymentDate totalPaymentDue
        ItemList: aggregateElement itemListElement itemListOrder numberOfItems
        JobPosting: applicantLocationRequirements applicationContact baseSalary benefits datePosted directApply
        JobPosting: educationRequirements eligibilityToWorkRequirement employerOverview employmentType employmentUnit
        JobPosting: estimatedSalary experienceInPlaceOfEducation experienceRequirements hiringOrganization
        JobPosting: incentiveCompensation incentives industry jobBenefits jobDuration jobImmediateStart jobLocation
        JobPosting: jobLocationType jobStartDate occupationalCategory physicalRequirement qualifications
        JobPosting: relevantOccupation responsibilities salaryCurrency securityClearanceRequirement sensoryRequirement
        JobPosting: skills specialCommitments title totalJobOpenings validThrough workHours
        JoinAction: event
        Joint: biomechnicalClass functionalClass structuralClass
        LearningResource: assesses competencyRequired educationalAlignment educationalLevel educationalUse
        LearningResource: learningResourceType teaches
        LeaveAction: event
        Legislation: jurisdiction legislationAmends legislationApplies legislationChanges legislationCommences
        Legislation: legislationConsolidates legislationCorrects legislationCountersignedBy legislationDate
        Legislation: legislationDateOfApplicability legislationDateVersion legislationEnsuresImplementationOf
        Legislation: legislationIdentifier legislationJurisdiction legislationLegalForce legislationPassedBy
        Legislation: legislationRepeals legislationResponsible legislationTransposes legislationType
        LegislationObject: legislationLegalValue
        LendAction: borrower
        LinkRole: inLanguage linkRelationship
        ListItem: item nextItem position previousItem
        LiveBlogPosting: coverageEndTime coverageStartTime liveBlogUpdate
        LoanOrCredit: amount currency gracePeriod loanRepaymentForm loanTerm loanType recourseLoan renegotiableLoan
        LoanOrCredit: requiredCollateral
        LocalBusiness: branchOf currenciesAccepted floorLevel openingHours paymentAccepted priceRange
        LocationFeatureSpecification: hoursAvailable validFrom validThrough
        LodgingBusiness: amenityFeature audience availableLanguage checkinTime checkoutTime numberOfRooms petsAllowed
        LodgingBusiness: starRating
        LodgingReservation: checkinTime checkoutTime lodgingUnitDescription lodgingUnitType numAdults numChildren
        LoseAction: winner
        LymphaticVessel: originatesFrom regionDrained runsTo
        Map: mapType
        MathSolver: mathExpression
        MediaObject: associatedArticle bitrate contentSize contentUrl duration embedUrl encodesCreativeWork
        MediaObject: encodingFormat endTime height ineligibleRegion interpretedAsClaim playerType productionCompany
        MediaObject: regionsAllowed requiresSubscription sha256 startTime uploadDate width
        MediaReview: mediaAuthenticityCategory originalMediaContextDescription originalMediaLink
        MediaReviewItem: mediaItemAppearance
        MediaSubscription: authenticator expectsAcceptanceOf
        MedicalCause: causeOf
        MedicalClinic: availableService medicalSpecialty
        MedicalCode: codeValue codingSystem
        MedicalCondition: associatedAnatomy differentialDiagnosis drug epidemiology expectedPrognosis naturalProgression
        MedicalCondition: pathophysiology possibleComplication possibleTreatment primaryPrevention riskFactor
        MedicalCondition: secondaryPrevention signOrSymptom stage status typicalTest
        MedicalConditionStage: stageAsNumber subStageSuffix
        MedicalDevice: adverseOutcome contraindication postOp preOp procedure seriousAdverseOutcome
        MedicalEntity: code funding guideline legalStatus medicineSystem recognizingAuthority relevantSpecialty study
        MedicalGuideline: evidenceLevel evidenceOrigin guidelineDate guidelineSubject
        MedicalGuidelineRecommendation: recommendationStrength
        MedicalObservationalStudy: studyDesign
        MedicalOrganization: healthPlanNetworkId isAcceptingNewPatients medicalSpecialty
        MedicalProcedure: bodyLocation followup howPerformed preparation procedureType status
        MedicalRiskEstimator: estimatesRiskOf includedRiskFactor
        MedicalRiskFactor: increasesRiskOf
        MedicalRiskScore: algorithm
        MedicalScholarlyArticle: publicationType
        MedicalSign: identifyingExam identifyingTest
        MedicalSignOrSymptom: possibleTreatment
        MedicalStudy: healthCondition sponsor status studyLocation studySubject
        MedicalTest: affectedBy normalRange signDetected usedToDiagnose usesDevice
        MedicalTestPanel: subTest
        MedicalTherapy: contraindication duplicateTherapy seriousAdverseOutcome
        MedicalTrial: trialDesign
        MedicalWebPage: aspect medicalAudience
        MemberProgram: hasTiers hostingOrganization
        MemberProgramTier: hasTierBenefit hasTierRequirement isTierOf membershipPointsEarned
        Menu: hasMenuItem hasMenuSection
        MenuItem: menuAddOn nutrition offers suitableForDiet
        MenuSection: hasMenuItem hasMenuSection
        MerchantReturnPolicy: additionalProperty applicableCountry customerRemorseReturnFees
        MerchantReturnPolicy: customerRemorseReturnLabelSource customerRemorseReturnShippingFeesAmount
        MerchantReturnPolicy: inStoreReturnsOffered itemCondition itemDefectReturnFees itemDefectReturnLabelSource
        MerchantReturnPolicy: itemDefectReturnShippingFeesAmount merchantReturnDays merchantReturnLink refundType
        MerchantReturnPolicy: restockingFee returnFees returnLabelSource returnMethod returnPolicyCategory
        MerchantReturnPolicy: returnPolicyCountry returnPolicySeasonalOverride returnShippingFeesAmount
        MerchantReturnPolicy: validForMemberTier
        MerchantReturnPolicySeasonalOverride: endDate merchantReturnDays refundType restockingFee returnFees
        MerchantReturnPolicySeasonalOverride: returnMethod returnPolicyCategory returnShippingFeesAmount startDate
        Message: bccRecipient ccRecipient dateRead dateReceived dateSent messageAttachment recipient sender toRecipient
        MobileApplication: carrierRequirements
        MolecularEntity: chemicalRole inChI inChIKey iupacName molecularFormula molecularWeight
        MolecularEntity: monoisotopicMolecularWeight potentialUse smiles
        MonetaryAmount: currency maxValue minValue validFrom validThrough value
        MonetaryAmountDistribution: currency
        MonetaryGrant: amount funder
        MoneyTransfer: amount beneficiaryBank
        MortgageLoan: domiciledMortgage loanMortgageMandateAmount
        MoveAction: fromLocation toLocation
        Movie: actor actors countryOfOrigin director directors duration musicBy productionCompany subtitleLanguage
        Movie: titleEIDR trailer
        MovieSeries: actor actors director directors musicBy productionCompany trailer
        MovieTheater: screenCount
        Muscle: antagonist bloodSupply insertion muscleAction nerve
        MusicAlbum: albumProductionType albumRelease albumReleaseType byArtist
        MusicComposition: composer firstPerformance includedComposition iswcCode lyricist lyrics musicArrangement
        MusicComposition: musicCompositionForm musicalKey recordedAs
        MusicGroup: album albums genre musicGroupMember track tracks
        MusicPlaylist: numTracks track tracks
        MusicRecording: byArtist duration inAlbum inPlaylist isrcCode recordingOf
        MusicRelease: catalogNumber creditedTo duration musicReleaseFormat recordLabel releaseOf
        Nerve: branch nerveMotor sensoryUnit sourcedFrom
        NewsArticle: dateline printColumn printEdition printPage printSection
        NewsMediaOrganization: actionableFeedbackPolicy correctionsPolicy diversityPolicy diversityStaffingReport
        NewsMediaOrganization: ethicsPolicy masthead missionCoveragePrioritiesPolicy noBylinesPolicy
        NewsMediaOrganization: ownershipFundingInfo unnamedSourcesPolicy verificationFactCheckingPolicy
        NutritionInformation: calories carbohydrateContent cholesterolContent fatContent fiberContent proteinContent
        NutritionInformation: saturatedFatContent servingSize sodiumContent sugarContent transFatContent
        NutritionInformation: unsaturatedFatContent
        Observation: marginOfError measuredProperty measuredValue measurementDenominator measurementMethod
        Observation: measurementQualifier measurementTechnique observationAbout observationDate observationPeriod
        Observation: observedNode variableMeasured
        Occupation: educationRequirements estimatedSalary experienceRequirements occupationLocation occupationalCategory
        Occupation: qualifications responsibilities skills
        OccupationalExperienceRequirements: monthsOfExperience
        Offer: acceptedPaymentMethod addOn additionalProperty advanceBookingRequirement aggregateRating areaServed asin
        Offer: availability availabilityEnds availabilityStarts availableAtOrFrom availableDeliveryMethod
        Offer: businessFunction category checkoutPageURLTemplate deliveryLeadTime eligibleCustomerType eligibleDuration
        Offer: eligibleQuantity eligibleRegion eligibleTransactionVolume gtin gtin12 gtin13 gtin14 gtin8
        Offer: hasAdultConsideration hasGS1DigitalLink hasMeasurement hasMerchantReturnPolicy includesObject
        Offer: ineligibleRegion inventoryLevel isFamilyFriendly itemCondition itemOffered leaseLength mobileUrl mpn
        Offer: offeredBy price priceCurrency priceSpecification priceValidUntil review reviews seller serialNumber
        Offer: shippingDetails sku validForMemberTier validFrom validThrough warranty
        OfferShippingDetails: deliveryTime depth doesNotShip hasShippingService height shippingDestination shippingLabel
        OfferShippingDetails: shippingOrigin shippingRate shippingSettingsLink transitTimeLabel validForMemberTier
        OfferShippingDetails: weight width
        OpeningHoursSpecification: closes dayOfWeek opens validFrom validThrough
        Order: acceptedOffer billingAddress broker confirmationNumber customer discount discountCode discountCurrency
        Order: isGift merchant orderDate orderDelivery orderNumber orderStatus orderedItem partOfInvoice paymentDue
        Order: paymentDueDate paymentMethod paymentMethodId paymentUrl seller
        OrderAction: deliveryMethod
        OrderItem: orderDelivery orderItemNumber orderItemStatus orderQuantity orderedItem
        Organization: acceptedPaymentMethod actionableFeedbackPolicy address agentInteractionStatistic aggregateRating
        Organization: alumni areaServed award awards brand companyRegistration contactPoint contactPoints
        Organization: correctionsPolicy department dissolutionDate diversityPolicy diversityStaffingReport duns email
        Organization: employee employees ethicsPolicy event events faxNumber founder founders foundingDate
        Organization: foundingLocation funder funding globalLocationNumber hasCertification hasCredential
        Organization: hasGS1DigitalLink hasMemberProgram hasMerchantReturnPolicy hasOfferCatalog hasPOS
        Organization: hasProductReturnPolicy hasShippingService interactionStatistic isicV4 iso6523Code keywords
        Organization: knowsAbout knowsLanguage legalAddress legalName legalRepresentative leiCode location logo
        Organization: makesOffer member memberOf members naics nonprofitStatus numberOfEmployees ownershipFundingInfo
        Organization: owns parentOrganization publishingPrinciples review reviews seeks serviceArea skills slogan
        Organization: sponsor subOrganization taxID telephone unnamedSourcesPolicy vatID
        OrganizationRole: numberedPosition
        OwnershipInfo: acquiredFrom ownedFrom ownedThrough typeOfGood
        ParcelDelivery: carrier deliveryAddress deliveryStatus expectedArrivalFrom expectedArrivalUntil
        ParcelDelivery: hasDeliveryMethod itemShipped originAddress partOfOrder provider trackingNumber trackingUrl
        ParentAudience: childMaxAge childMinAge
        PathologyTest: tissueSample
        Patient: diagnosis drug healthCondition
        PayAction: recipient
        PaymentCard: cashBack contactlessPayment floorLimit monthlyMinimumRepaymentAmount
        PaymentChargeSpecification: appliesToDeliveryMethod appliesToPaymentMethod
        PaymentMethod: paymentMethodType
        PeopleAudience: healthCondition requiredGender requiredMaxAge requiredMinAge suggestedAge suggestedGender
        PeopleAudience: suggestedMaxAge suggestedMeasurement suggestedMinAge
        PerformAction: entertainmentBusiness
        PerformanceRole: characterName
        Permit: issuedBy issuedThrough permitAudience validFor validFrom validIn validUntil
        Person: additionalName address affiliation agentInteractionStatistic alumniOf award awards birthDate birthPlace
        Person: brand callSign children colleague colleagues contactPoint contactPoints deathDate deathPlace duns email
        Person: familyName faxNumber follows funder funding gender givenName globalLocationNumber hasCertification
        Person: hasCredential hasOccupation hasOfferCatalog hasPOS height homeLocation honorificPrefix honorificSuffix
        Person: interactionStatistic isicV4 jobTitle knows knowsAbout knowsLanguage makesOffer memberOf naics
        Person: nationality netWorth owns parent parents performerIn pronouns publishingPrinciples relatedTo seeks
        Person: sibling siblings skills sponsor spouse taxID telephone vatID weight workLocation worksFor
        PhysicalActivity: associatedAnatomy category epidemiology pathophysiology
        Physician: availableService hospitalAffiliation medicalSpecialty occupationalCategory usNPI
        Place: additionalProperty address aggregateRating amenityFeature branchCode containedIn containedInPlace
        Place: containsPlace event events faxNumber geo geoContains geoCoveredBy geoCovers geoCrosses geoDisjoint
        Place: geoEquals geoIntersects geoOverlaps geoTouches geoWithin globalLocationNumber hasCertification
        Place: hasDriveThroughService hasGS1DigitalLink hasMap isAccessibleForFree isicV4 keywords latitude logo
        Place: longitude map maps maximumAttendeeCapacity openingHoursSpecification photo photos publicAccess review
        Place: reviews slogan smokingAllowed specialOpeningHoursSpecification telephone tourBookingPage
        PlanAction: scheduledTime
        PlayAction: audience event
        PlayGameAction: gameAvailabilityType
        PodcastSeries: actor webFeed
        PostalAddress: addressCountry addressLocality addressRegion extendedAddress postOfficeBoxNumber postalCode
        PostalAddress: streetAddress
        PostalCodeRangeSpecification: postalCodeBegin postalCodeEnd
        PriceSpecification: eligibleQuantity eligibleTransactionVolume maxPrice membershipPointsEarned minPrice price
        PriceSpecification: priceCurrency validForMemberTier validFrom validThrough valueAddedTaxIncluded
        Product: additionalProperty aggregateRating asin audience award awards brand category color colorSwatch
        Product: countryOfAssembly countryOfLastProcessing countryOfOrigin depth funding gtin gtin12 gtin13 gtin14 gtin8
        Product: hasAdultConsideration hasCertification hasEnergyConsumptionDetails hasGS1DigitalLink hasMeasurement
        Product: hasMerchantReturnPolicy hasProductReturnPolicy height inProductGroupWithID isAccessoryOrSparePartFor
        Product: isConsumableFor isFamilyFriendly isRelatedTo isSimilarTo isVariantOf itemCondition keywords logo
        Product: manufacturer material mobileUrl model mpn negativeNotes nsn offers pattern positiveNotes productID
        Product: productionDate purchaseDate releaseDate review reviews size sku slogan weight width
        ProductCollection: includesObject
        ProductGroup: hasVariant productGroupID variesBy
        ProductModel: isVariantOf predecessorOf successorOf
        ProductReturnPolicy: productReturnDays productReturnLink
        ProgramMembership: hostingOrganization member members membershipNumber membershipPointsEarned program
        ProgramMembership: programName
        PronounceableText: inLanguage phoneticText speechToTextMarkup textValue
        Property: domainIncludes inverseOf rangeIncludes supersededBy
        PropertyValue: maxValue measurementMethod measurementTechnique minValue propertyID unitCode unitText value
        PropertyValue: valueReference
        PropertyValueSpecification: defaultValue maxValue minValue multipleValues readonlyValue stepValue valueMaxLength
        PropertyValueSpecification: valueMinLength valueName valuePattern valueRequired
        Protein: hasBioPolymerSequence
        PublicationEvent: free publishedBy publishedOn
        PublicationIssue: issueNumber pageEnd pageStart pagination
        PublicationVolume: pageEnd pageStart pagination volumeNumber
        QualitativeValue: additionalProperty equal greater greaterOrEqual lesser lesserOrEqual nonEqual valueReference
        QuantitativeValue: additionalProperty maxValue minValue unitCode unitText value valueReference
        QuantitativeValueDistribution: duration median percentile10 percentile25 percentile75 percentile90
        Question: acceptedAnswer answerCount eduQuestionType parentItem suggestedAnswer
        Quotation: spokenByCharacter
        RadioSeries: actor actors containsSeason director directors episode episodes musicBy numberOfEpisodes
        RadioSeries: numberOfSeasons productionCompany season seasons trailer
        Rating: author bestRating ratingExplanation ratingValue reviewAspect worstRating
        RealEstateListing: datePosted leaseLength
        ReceiveAction: deliveryMethod sender
        Recipe: cookTime cookingMethod ingredients nutrition recipeCategory recipeCuisine recipeIngredient
        Recipe: recipeInstructions recipeYield suitableForDiet
        Recommendation: category
        RentAction: landlord realEstateAgent
        RentalCarReservation: dropoffLocation dropoffTime pickupLocation pickupTime
        RepaymentSpecification: downPayment earlyPrepaymentPenalty loanPaymentAmount loanPaymentFrequency
        RepaymentSpecification: numberOfLoanPayments
        ReplaceAction: replacee replacer
        ReplyAction: resultComment
        Report: reportNumber
        Reservation: bookingAgent bookingTime broker modifiedTime priceCurrency programMembershipUsed provider
        Reservation: reservationFor reservationId reservationStatus reservedTicket totalPrice underName
        ReservationPackage: subReservation
        Residence: accommodationFloorPlan floorLevel
        ReturnAction: recipient
        Review: associatedClaimReview associatedMediaReview associatedReview itemReviewed negativeNotes positiveNotes
        Review: reviewAspect reviewBody reviewRating
        ReviewAction: resultReview
        Role: endDate namedPosition roleName startDate
        RsvpAction: additionalNumberOfGuests comment rsvpResponse
        Schedule: byDay byMonth byMonthDay byMonthWeek duration endDate endTime exceptDate repeatCount repeatFrequency
        Schedule: scheduleTimezone startDate startTime
        ScreeningEvent: subtitleLanguage videoFormat workPresented
        SearchAction: query
        Seat: seatNumber seatRow seatSection seatingType
        SeekToAction: startOffset
        SellAction: buyer warrantyPromise
        SendAction: deliveryMethod recipient
        Service: aggregateRating areaServed audience availableChannel award brand broker category hasCertification
        Service: hasOfferCatalog hoursAvailable isRelatedTo isSimilarTo logo offers produces provider providerMobility
        Service: review serviceArea serviceAudience serviceOutput serviceType slogan termsOfService
        ServiceChannel: availableLanguage processingTime providesService serviceLocation servicePhone
        ServiceChannel: servicePostalAddress serviceSmsNumber serviceUrl
        ServicePeriod: businessDays cutoffTime duration
        ShippingConditions: depth doesNotShip height numItems orderValue seasonalOverride shippingDestination
        ShippingConditions: shippingOrigin shippingRate transitTime weight width
        ShippingDeliveryTime: businessDays cutoffTime handlingTime transitTime
        ShippingRateSettings: doesNotShip freeShippingThreshold isUnlabelledFallback orderPercentage shippingDestination
        ShippingRateSettings: shippingLabel shippingRate weightPercentage
        ShippingService: fulfillmentType handlingTime shippingConditions validForMemberTier
        SingleFamilyResidence: numberOfRooms occupancy
        SizeSpecification: hasMeasurement sizeGroup sizeSystem suggestedAge suggestedGender suggestedMeasurement
        SocialMediaPosting: sharedContent
        SoftwareApplication: applicationCategory applicationSubCategory applicationSuite availableOnDevice
        SoftwareApplication: countriesNotSupported countriesSupported device downloadUrl featureList fileSize installUrl
        SoftwareApplication: memoryRequirements operatingSystem permissions processorRequirements releaseNotes
        SoftwareApplication: requirements screenshot softwareAddOn softwareHelp softwareRequirements softwareVersion
        SoftwareApplication: storageRequirements supportingData
        SoftwareSourceCode: codeRepository codeSampleType programmingLanguage runtime runtimePlatform sampleType
        SoftwareSourceCode: targetProduct
        SolveMathAction: eduQuestionType
        SomeProducts: inventoryLevel
        SpeakableSpecification: cssSelector xpath
        SpecialAnnouncement: announcementLocation category datePosted diseasePreventionInfo diseaseSpreadStatistics
        SpecialAnnouncement: gettingTestedInfo governmentBenefitsInfo newsUpdatesAndGuidelines
        SpecialAnnouncement: publicTransportClosuresInfo quarantineGuidelines schoolClosuresInfo travelBans webFeed
        SportsEvent: awayTeam competitor homeTeam referee sport
        SportsOrganization: sport
        SportsTeam: athlete coach gender
        StatisticalPopulation: constrainingProperty numConstraints populationType
        StatisticalVariable: measuredProperty measurementDenominator measurementMethod measurementQualifier
        StatisticalVariable: measurementTechnique populationType statType
        StupidType: stupidProperty
        Substance: activeIngredient maximumIntake
        Suite: bed numberOfRooms occupancy
        SuperficialAnatomy: associatedPathophysiology relatedAnatomy relatedCondition relatedTherapy significance
        TVClip: partOfTVSeries
        TVEpisode: countryOfOrigin partOfTVSeries subtitleLanguage titleEIDR
        TVSeason: countryOfOrigin partOfTVSeries titleEIDR
        TVSeries: actor actors containsSeason countryOfOrigin director directors episode episodes musicBy
        TVSeries: numberOfEpisodes numberOfSeasons productionCompany season seasons titleEIDR trailer
        TaxiReservation: partySize pickupLocation pickupTime
        Taxon: childTaxon hasDefinedTerm parentTaxon taxonRank
        TechArticle: dependencies proficiencyLevel
        TherapeuticProcedure: adverseOutcome doseSchedule drug
        Thesis: inSupportOf
        Thing: additionalType alternateName description disambiguatingDescription identifier image interactionCount
        Thing: mainEntityOfPage name potentialAction sameAs subjectOf url
        Ticket: dateIssued issuedBy priceCurrency ticketNumber ticketToken ticketedSeat totalPrice underName
        TipAction: recipient
        TouristAttraction: availableLanguage touristType
        TouristDestination: includesAttraction touristType
        TouristTrip: touristType
        TrackAction: deliveryMethod
        TradeAction: price priceCurrency priceSpecification
        TrainTrip: arrivalPlatform arrivalStation departurePlatform departureStation trainName trainNumber
        TransferAction: fromLocation toLocation
        TravelAction: distance
        Trip: arrivalTime departureTime itinerary offers partOfTrip provider subTrip tripOrigin
        TypeAndQuantityNode: amountOfThisGood businessFunction typeOfGood unitCode unitText
        UnitPriceSpecification: billingDuration billingIncrement billingStart priceComponentType priceType
        UnitPriceSpecification: referenceQuantity unitCode unitText
        UpdateAction: collection targetCollection
        UserComments: commentText commentTime creator discusses replyToUrl
        Vehicle: accelerationTime bodyType callSign cargoVolume dateVehicleFirstRegistered driveWheelConfiguration
        Vehicle: emissionsCO2 fuelCapacity fuelConsumption fuelEfficiency fuelType knownVehicleDamages
        Vehicle: meetsEmissionStandard mileageFromOdometer modelDate numberOfAirbags numberOfAxles numberOfDoors
        Vehicle: numberOfForwardGears numberOfPreviousOwners payload productionDate purchaseDate seatingCapacity speed
        Vehicle: steeringPosition stupidProperty tongueWeight trailerWeight vehicleConfiguration vehicleEngine
        Vehicle: vehicleIdentificationNumber vehicleInteriorColor vehicleInteriorType vehicleModelDate
        Vehicle: vehicleSeatingCapacity vehicleSpecialUsage vehicleTransmission weightTotal wheelbase
        Vein: drainsTo regionDrained tributary
        VideoGame: actor actors cheatCode director directors gameEdition gamePlatform gameServer gameTip musicBy
        VideoGame: playMode trailer
        VideoGameSeries: actor actors characterAttribute cheatCode containsSeason director directors episode episodes
        VideoGameSeries: gameItem gameLocation gamePlatform musicBy numberOfEpisodes numberOfPlayers numberOfSeasons
        VideoGameSeries: playMode productionCompany quest season seasons trailer
        VideoObject: actor actors caption director directors embeddedTextCaption musicBy thumbnail transcript
        VideoObject: videoFrameSize videoQuality
        VisualArtwork: artEdition artMedium artform artist artworkSurface colorist depth height inker letterer penciler
        VisualArtwork: surface weight width
        VoteAction: candidate
        WarrantyPromise: durationOfWarranty warrantyScope
        WebAPI: documentation
        WebApplication: browserRequirements
        WebPage: breadcrumb lastReviewed mainContentOfPage primaryImageOfPage relatedLink reviewedBy significantLink
        WebPage: significantLinks speakable specialty
        WebPageElement: cssSelector xpath
        WebSite: issn
        WinAction: loser
        WorkBasedProgram: occupationalCategory trainingSalary
        WriteAction: inLanguage language
        """
}
