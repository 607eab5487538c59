// Written by tools/write-iana-data.mjs from release 2026f of the tz database, which is in the public domain: the names
// that are zones or links, and zone1970's zones of each country. For where no directory of zones is at hand.

export const IANA_DATA_VERSION = '2026f';

const ZONE_NAMES = `
Africa/Abidjan Africa/Accra Africa/Addis_Ababa Africa/Algiers Africa/Asmara Africa/Asmera Africa/Bamako Africa/Bangui
Africa/Banjul Africa/Bissau Africa/Blantyre Africa/Brazzaville Africa/Bujumbura Africa/Cairo Africa/Casablanca
Africa/Ceuta Africa/Conakry Africa/Dakar Africa/Dar_es_Salaam Africa/Djibouti Africa/Douala Africa/El_Aaiun
Africa/Freetown Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Juba Africa/Kampala Africa/Khartoum
Africa/Kigali Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Lome Africa/Luanda Africa/Lubumbashi Africa/Lusaka
Africa/Malabo Africa/Maputo Africa/Maseru Africa/Mbabane Africa/Mogadishu Africa/Monrovia Africa/Nairobi
Africa/Ndjamena Africa/Niamey Africa/Nouakchott Africa/Ouagadougou Africa/Porto-Novo Africa/Sao_Tome Africa/Timbuktu
Africa/Tripoli Africa/Tunis Africa/Windhoek America/Adak America/Anchorage America/Anguilla America/Antigua
America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca America/Argentina/ComodRivadavia
America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza
America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis
America/Argentina/Tucuman America/Argentina/Ushuaia America/Aruba America/Asuncion America/Atikokan America/Atka
America/Bahia America/Bahia_Banderas America/Barbados America/Belem America/Belize America/Blanc-Sablon
America/Boa_Vista America/Bogota America/Boise America/Buenos_Aires America/Cambridge_Bay America/Campo_Grande
America/Cancun America/Caracas America/Catamarca America/Cayenne America/Cayman America/Chicago America/Chihuahua
America/Ciudad_Juarez America/Coral_Harbour America/Cordoba America/Costa_Rica America/Coyhaique America/Creston
America/Cuiaba America/Curacao America/Danmarkshavn America/Dawson America/Dawson_Creek America/Denver America/Detroit
America/Dominica America/Edmonton America/Eirunepe America/El_Salvador America/Ensenada America/Fort_Nelson
America/Fort_Wayne America/Fortaleza America/Glace_Bay America/Godthab America/Goose_Bay America/Grand_Turk
America/Grenada America/Guadeloupe America/Guatemala America/Guayaquil America/Guyana America/Halifax America/Havana
America/Hermosillo America/Indiana/Indianapolis America/Indiana/Knox America/Indiana/Marengo America/Indiana/Petersburg
America/Indiana/Tell_City America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis
America/Inuvik America/Iqaluit America/Jamaica America/Jujuy America/Juneau America/Kentucky/Louisville
America/Kentucky/Monticello America/Knox_IN America/Kralendijk America/La_Paz America/Lima America/Los_Angeles
America/Louisville America/Lower_Princes America/Maceio America/Managua America/Manaus America/Marigot
America/Martinique America/Matamoros America/Mazatlan America/Mendoza America/Menominee America/Merida
America/Metlakatla America/Mexico_City America/Miquelon America/Moncton America/Monterrey America/Montevideo
America/Montreal America/Montserrat America/Nassau America/New_York America/Nipigon America/Nome America/Noronha
America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem America/Nuuk America/Ojinaga
America/Panama America/Pangnirtung America/Paramaribo America/Phoenix America/Port-au-Prince America/Port_of_Spain
America/Porto_Acre America/Porto_Velho America/Puerto_Rico America/Punta_Arenas America/Rainy_River
America/Rankin_Inlet America/Recife America/Regina America/Resolute America/Rio_Branco America/Rosario
America/Santa_Isabel America/Santarem America/Santiago America/Santo_Domingo America/Sao_Paulo America/Scoresbysund
America/Shiprock America/Sitka America/St_Barthelemy America/St_Johns America/St_Kitts America/St_Lucia
America/St_Thomas America/St_Vincent America/Swift_Current America/Tegucigalpa America/Thule America/Thunder_Bay
America/Tijuana America/Toronto America/Tortola America/Vancouver America/Virgin America/Whitehorse America/Winnipeg
America/Yakutat America/Yellowknife Antarctica/Casey Antarctica/Davis Antarctica/DumontDUrville Antarctica/Macquarie
Antarctica/Mawson Antarctica/McMurdo Antarctica/Palmer Antarctica/Rothera Antarctica/South_Pole Antarctica/Syowa
Antarctica/Troll Antarctica/Vostok Arctic/Longyearbyen Asia/Aden Asia/Almaty Asia/Amman Asia/Anadyr Asia/Aqtau
Asia/Aqtobe Asia/Ashgabat Asia/Ashkhabad Asia/Atyrau Asia/Baghdad Asia/Bahrain Asia/Baku Asia/Bangkok Asia/Barnaul
Asia/Beirut Asia/Bishkek Asia/Brunei Asia/Calcutta Asia/Chita Asia/Choibalsan Asia/Chongqing Asia/Chungking
Asia/Colombo Asia/Dacca Asia/Damascus Asia/Dhaka Asia/Dili Asia/Dubai Asia/Dushanbe Asia/Famagusta Asia/Gaza
Asia/Harbin Asia/Hebron Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Hovd Asia/Irkutsk Asia/Istanbul Asia/Jakarta Asia/Jayapura
Asia/Jerusalem Asia/Kabul Asia/Kamchatka Asia/Karachi Asia/Kashgar Asia/Kathmandu Asia/Katmandu Asia/Khandyga
Asia/Kolkata Asia/Krasnoyarsk Asia/Kuala_Lumpur Asia/Kuching Asia/Kuwait Asia/Macao Asia/Macau Asia/Magadan
Asia/Makassar Asia/Manila Asia/Muscat Asia/Nicosia Asia/Novokuznetsk Asia/Novosibirsk Asia/Omsk Asia/Oral
Asia/Phnom_Penh Asia/Pontianak Asia/Pyongyang Asia/Qatar Asia/Qostanay Asia/Qyzylorda Asia/Rangoon Asia/Riyadh
Asia/Saigon Asia/Sakhalin Asia/Samarkand Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Srednekolymsk Asia/Taipei
Asia/Tashkent Asia/Tbilisi Asia/Tehran Asia/Tel_Aviv Asia/Thimbu Asia/Thimphu Asia/Tokyo Asia/Tomsk Asia/Ujung_Pandang
Asia/Ulaanbaatar Asia/Ulan_Bator Asia/Urumqi Asia/Ust-Nera Asia/Vientiane Asia/Vladivostok Asia/Yakutsk Asia/Yangon
Asia/Yekaterinburg Asia/Yerevan Atlantic/Azores Atlantic/Bermuda Atlantic/Canary Atlantic/Cape_Verde Atlantic/Faeroe
Atlantic/Faroe Atlantic/Jan_Mayen Atlantic/Madeira Atlantic/Reykjavik Atlantic/South_Georgia Atlantic/St_Helena
Atlantic/Stanley Australia/ACT Australia/Adelaide Australia/Brisbane Australia/Broken_Hill Australia/Canberra
Australia/Currie Australia/Darwin Australia/Eucla Australia/Hobart Australia/LHI Australia/Lindeman Australia/Lord_Howe
Australia/Melbourne Australia/NSW Australia/North Australia/Perth Australia/Queensland Australia/South Australia/Sydney
Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre Brazil/DeNoronha Brazil/East
Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland
Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire
Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5 Etc/GMT+6
Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13 Etc/GMT-14 Etc/GMT-2
Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC
Etc/Universal Etc/Zulu Europe/Amsterdam Europe/Andorra Europe/Astrakhan Europe/Athens Europe/Belfast Europe/Belgrade
Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Bucharest Europe/Budapest Europe/Busingen Europe/Chisinau
Europe/Copenhagen Europe/Dublin Europe/Gibraltar Europe/Guernsey Europe/Helsinki Europe/Isle_of_Man Europe/Istanbul
Europe/Jersey Europe/Kaliningrad Europe/Kiev Europe/Kirov Europe/Kyiv Europe/Lisbon Europe/Ljubljana Europe/London
Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Mariehamn Europe/Minsk Europe/Monaco Europe/Moscow Europe/Nicosia
Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Riga Europe/Rome Europe/Samara Europe/San_Marino
Europe/Sarajevo Europe/Saratov Europe/Simferopol Europe/Skopje Europe/Sofia Europe/Stockholm Europe/Tallinn
Europe/Tirane Europe/Tiraspol Europe/Ulyanovsk Europe/Uzhgorod Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Vilnius
Europe/Volgograd Europe/Warsaw Europe/Zagreb Europe/Zaporozhye Europe/Zurich GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich
HST Hongkong Iceland Indian/Antananarivo Indian/Chagos Indian/Christmas Indian/Cocos Indian/Comoro Indian/Kerguelen
Indian/Mahe Indian/Maldives Indian/Mauritius Indian/Mayotte Indian/Reunion Iran Israel Jamaica Japan Kwajalein Libya
MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Apia
Pacific/Auckland Pacific/Bougainville Pacific/Chatham Pacific/Chuuk Pacific/Easter Pacific/Efate Pacific/Enderbury
Pacific/Fakaofo Pacific/Fiji Pacific/Funafuti Pacific/Galapagos Pacific/Gambier Pacific/Guadalcanal Pacific/Guam
Pacific/Honolulu Pacific/Johnston Pacific/Kanton Pacific/Kiritimati Pacific/Kosrae Pacific/Kwajalein Pacific/Majuro
Pacific/Marquesas Pacific/Midway Pacific/Nauru Pacific/Niue Pacific/Norfolk Pacific/Noumea Pacific/Pago_Pago
Pacific/Palau Pacific/Pitcairn Pacific/Pohnpei Pacific/Ponape Pacific/Port_Moresby Pacific/Rarotonga Pacific/Saipan
Pacific/Samoa Pacific/Tahiti Pacific/Tarawa Pacific/Tongatapu Pacific/Truk Pacific/Wake Pacific/Wallis Pacific/Yap
Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern
US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu
`;

/** A country and its zones in zone1970's order, its own before those of a neighbour. */
const COUNTRY_ZONES = `
AD:Europe/Andorra AE:Asia/Dubai AF:Asia/Kabul AG:America/Puerto_Rico AI:America/Puerto_Rico AL:Europe/Tirane
AM:Asia/Yerevan AO:Africa/Lagos AQ:Antarctica/Casey, Antarctica/Davis, Antarctica/Mawson, Antarctica/Palmer,
Antarctica/Rothera, Antarctica/Troll, Antarctica/Vostok, Pacific/Auckland, Pacific/Port_Moresby, Asia/Riyadh,
Asia/Singapore AR:America/Argentina/Buenos_Aires, America/Argentina/Cordoba, America/Argentina/Salta,
America/Argentina/Jujuy, America/Argentina/Tucuman, America/Argentina/Catamarca, America/Argentina/La_Rioja,
America/Argentina/San_Juan, America/Argentina/Mendoza, America/Argentina/San_Luis, America/Argentina/Rio_Gallegos,
America/Argentina/Ushuaia AS:Pacific/Pago_Pago AT:Europe/Vienna AU:Australia/Lord_Howe, Antarctica/Macquarie,
Australia/Hobart, Australia/Melbourne, Australia/Sydney, Australia/Broken_Hill, Australia/Brisbane, Australia/Lindeman,
Australia/Adelaide, Australia/Darwin, Australia/Perth, Australia/Eucla, Asia/Tokyo AW:America/Puerto_Rico
AX:Europe/Helsinki AZ:Asia/Baku BA:Europe/Belgrade BB:America/Barbados BD:Asia/Dhaka BE:Europe/Brussels
BF:Africa/Abidjan BG:Europe/Sofia BH:Asia/Qatar BI:Africa/Maputo BJ:Africa/Lagos BL:America/Puerto_Rico
BM:Atlantic/Bermuda BN:Asia/Kuching BO:America/La_Paz BQ:America/Puerto_Rico BR:America/Noronha, America/Belem,
America/Fortaleza, America/Recife, America/Araguaina, America/Maceio, America/Bahia, America/Sao_Paulo,
America/Campo_Grande, America/Cuiaba, America/Santarem, America/Porto_Velho, America/Boa_Vista, America/Manaus,
America/Eirunepe, America/Rio_Branco BS:America/Toronto BT:Asia/Thimphu BW:Africa/Maputo BY:Europe/Minsk
BZ:America/Belize CA:America/St_Johns, America/Halifax, America/Glace_Bay, America/Moncton, America/Goose_Bay,
America/Toronto, America/Iqaluit, America/Winnipeg, America/Resolute, America/Rankin_Inlet, America/Regina,
America/Swift_Current, America/Edmonton, America/Cambridge_Bay, America/Inuvik, America/Vancouver,
America/Dawson_Creek, America/Fort_Nelson, America/Whitehorse, America/Dawson, America/Panama, America/Puerto_Rico,
America/Phoenix CC:Asia/Yangon CD:Africa/Maputo, Africa/Lagos CF:Africa/Lagos CG:Africa/Lagos CH:Europe/Zurich
CI:Africa/Abidjan CK:Pacific/Rarotonga CL:America/Santiago, America/Coyhaique, America/Punta_Arenas, Pacific/Easter
CM:Africa/Lagos CN:Asia/Shanghai, Asia/Urumqi CO:America/Bogota CR:America/Costa_Rica CU:America/Havana
CV:Atlantic/Cape_Verde CW:America/Puerto_Rico CX:Asia/Bangkok CY:Asia/Nicosia, Asia/Famagusta CZ:Europe/Prague
DE:Europe/Berlin, Europe/Zurich DJ:Africa/Nairobi DK:Europe/Berlin DM:America/Puerto_Rico DO:America/Santo_Domingo
DZ:Africa/Algiers EC:America/Guayaquil, Pacific/Galapagos EE:Europe/Tallinn EG:Africa/Cairo EH:Africa/El_Aaiun
ER:Africa/Nairobi ES:Europe/Madrid, Africa/Ceuta, Atlantic/Canary ET:Africa/Nairobi FI:Europe/Helsinki FJ:Pacific/Fiji
FK:Atlantic/Stanley FM:Pacific/Kosrae, Pacific/Port_Moresby, Pacific/Guadalcanal FO:Atlantic/Faroe FR:Europe/Paris
GA:Africa/Lagos GB:Europe/London GD:America/Puerto_Rico GE:Asia/Tbilisi GF:America/Cayenne GG:Europe/London
GH:Africa/Abidjan GI:Europe/Gibraltar GL:America/Nuuk, America/Danmarkshavn, America/Scoresbysund, America/Thule
GM:Africa/Abidjan GN:Africa/Abidjan GP:America/Puerto_Rico GQ:Africa/Lagos GR:Europe/Athens GS:Atlantic/South_Georgia
GT:America/Guatemala GU:Pacific/Guam GW:Africa/Bissau GY:America/Guyana HK:Asia/Hong_Kong HN:America/Tegucigalpa
HR:Europe/Belgrade HT:America/Port-au-Prince HU:Europe/Budapest ID:Asia/Jakarta, Asia/Pontianak, Asia/Makassar,
Asia/Jayapura IE:Europe/Dublin IL:Asia/Jerusalem IM:Europe/London IN:Asia/Kolkata IO:Indian/Chagos IQ:Asia/Baghdad
IR:Asia/Tehran IS:Africa/Abidjan IT:Europe/Rome JE:Europe/London JM:America/Jamaica JO:Asia/Amman JP:Asia/Tokyo
KE:Africa/Nairobi KG:Asia/Bishkek KH:Asia/Bangkok KI:Pacific/Tarawa, Pacific/Kanton, Pacific/Kiritimati
KM:Africa/Nairobi KN:America/Puerto_Rico KP:Asia/Pyongyang KR:Asia/Seoul KW:Asia/Riyadh KY:America/Panama
KZ:Asia/Almaty, Asia/Qyzylorda, Asia/Qostanay, Asia/Aqtobe, Asia/Aqtau, Asia/Atyrau, Asia/Oral LA:Asia/Bangkok
LB:Asia/Beirut LC:America/Puerto_Rico LI:Europe/Zurich LK:Asia/Colombo LR:Africa/Monrovia LS:Africa/Johannesburg
LT:Europe/Vilnius LU:Europe/Brussels LV:Europe/Riga LY:Africa/Tripoli MA:Africa/Casablanca MC:Europe/Paris
MD:Europe/Chisinau ME:Europe/Belgrade MF:America/Puerto_Rico MG:Africa/Nairobi MH:Pacific/Kwajalein, Pacific/Tarawa
MK:Europe/Belgrade ML:Africa/Abidjan MM:Asia/Yangon MN:Asia/Ulaanbaatar, Asia/Hovd MO:Asia/Macau MP:Pacific/Guam
MQ:America/Martinique MR:Africa/Abidjan MS:America/Puerto_Rico MT:Europe/Malta MU:Indian/Mauritius MV:Indian/Maldives
MW:Africa/Maputo MX:America/Mexico_City, America/Cancun, America/Merida, America/Monterrey, America/Matamoros,
America/Chihuahua, America/Ciudad_Juarez, America/Ojinaga, America/Mazatlan, America/Bahia_Banderas,
America/Hermosillo, America/Tijuana MY:Asia/Kuching, Asia/Singapore MZ:Africa/Maputo NA:Africa/Windhoek
NC:Pacific/Noumea NE:Africa/Lagos NF:Pacific/Norfolk NG:Africa/Lagos NI:America/Managua NL:Europe/Brussels
NO:Europe/Berlin NP:Asia/Kathmandu NR:Pacific/Nauru NU:Pacific/Niue NZ:Pacific/Auckland, Pacific/Chatham OM:Asia/Dubai
PA:America/Panama PE:America/Lima PF:Pacific/Tahiti, Pacific/Marquesas, Pacific/Gambier PG:Pacific/Port_Moresby,
Pacific/Bougainville PH:Asia/Manila PK:Asia/Karachi PL:Europe/Warsaw PM:America/Miquelon PN:Pacific/Pitcairn
PR:America/Puerto_Rico PS:Asia/Gaza, Asia/Hebron PT:Europe/Lisbon, Atlantic/Madeira, Atlantic/Azores PW:Pacific/Palau
PY:America/Asuncion QA:Asia/Qatar RE:Asia/Dubai RO:Europe/Bucharest RS:Europe/Belgrade RU:Europe/Kaliningrad,
Europe/Moscow, Europe/Simferopol, Europe/Kirov, Europe/Volgograd, Europe/Astrakhan, Europe/Saratov, Europe/Ulyanovsk,
Europe/Samara, Asia/Yekaterinburg, Asia/Omsk, Asia/Novosibirsk, Asia/Barnaul, Asia/Tomsk, Asia/Novokuznetsk,
Asia/Krasnoyarsk, Asia/Irkutsk, Asia/Chita, Asia/Yakutsk, Asia/Khandyga, Asia/Vladivostok, Asia/Ust-Nera, Asia/Magadan,
Asia/Sakhalin, Asia/Srednekolymsk, Asia/Kamchatka, Asia/Anadyr RW:Africa/Maputo SA:Asia/Riyadh SB:Pacific/Guadalcanal
SC:Asia/Dubai SD:Africa/Khartoum SE:Europe/Berlin SG:Asia/Singapore SH:Africa/Abidjan SI:Europe/Belgrade
SJ:Europe/Berlin SK:Europe/Prague SL:Africa/Abidjan SM:Europe/Rome SN:Africa/Abidjan SO:Africa/Nairobi
SR:America/Paramaribo SS:Africa/Juba ST:Africa/Sao_Tome SV:America/El_Salvador SX:America/Puerto_Rico SY:Asia/Damascus
SZ:Africa/Johannesburg TC:America/Grand_Turk TD:Africa/Ndjamena TF:Asia/Dubai, Indian/Maldives TG:Africa/Abidjan
TH:Asia/Bangkok TJ:Asia/Dushanbe TK:Pacific/Fakaofo TL:Asia/Dili TM:Asia/Ashgabat TN:Africa/Tunis TO:Pacific/Tongatapu
TR:Europe/Istanbul TT:America/Puerto_Rico TV:Pacific/Tarawa TW:Asia/Taipei TZ:Africa/Nairobi UA:Europe/Kyiv,
Europe/Simferopol UG:Africa/Nairobi UM:Pacific/Pago_Pago, Pacific/Tarawa US:America/New_York, America/Detroit,
America/Kentucky/Louisville, America/Kentucky/Monticello, America/Indiana/Indianapolis, America/Indiana/Vincennes,
America/Indiana/Winamac, America/Indiana/Marengo, America/Indiana/Petersburg, America/Indiana/Vevay, America/Chicago,
America/Indiana/Tell_City, America/Indiana/Knox, America/Menominee, America/North_Dakota/Center,
America/North_Dakota/New_Salem, America/North_Dakota/Beulah, America/Denver, America/Boise, America/Phoenix,
America/Los_Angeles, America/Anchorage, America/Juneau, America/Sitka, America/Metlakatla, America/Yakutat,
America/Nome, America/Adak, Pacific/Honolulu UY:America/Montevideo UZ:Asia/Samarkand, Asia/Tashkent VA:Europe/Rome
VC:America/Puerto_Rico VE:America/Caracas VG:America/Puerto_Rico VI:America/Puerto_Rico VN:Asia/Ho_Chi_Minh,
Asia/Bangkok VU:Pacific/Efate WF:Pacific/Tarawa WS:Pacific/Apia YE:Asia/Riyadh YT:Africa/Nairobi ZA:Africa/Johannesburg
ZM:Africa/Maputo ZW:Africa/Maputo
`;

/** Every zone and link name of the release. */
export function shippedZoneNames(): readonly string[] {
  return ZONE_NAMES.trim().split(/\s+/);
}

let countryZones: ReadonlyMap<string, readonly string[]> | undefined;

/** ISO 3166-1 alpha-2 → its zones. */
export function shippedCountryZones(): ReadonlyMap<string, readonly string[]> {
  countryZones ??= new Map(
    COUNTRY_ZONES.trim()
      .replaceAll(/,\s+/g, ',')
      .split(/\s+/)
      .map((row) => {
        const [country = '', zones = ''] = row.split(':');
        return [country, zones.split(',')] as const;
      }),
  );
  return countryZones;
}
