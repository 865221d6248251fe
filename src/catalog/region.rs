//! Places: a region id means nothing without its provider.

use std::fmt;

/// One region of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Provider id.
    pub provider: String,
    /// Operator's name for people.
    pub operator: String,
    /// Region id of that provider.
    pub id: String,
    /// City.
    pub city: String,
    /// ISO 3166 two-letter country.
    pub country: String,
    /// Where this is stated.
    pub source: String,
}

/// Where an offer stands: a known region, or nowhere stated. Printed as `provider:region (City, CC)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Provider id.
    pub provider: String,
    /// Region id, if the source states one.
    pub region: Option<String>,
    /// City and country, if the region is in the region table.
    pub city_country: Option<(String, String)>,
}

impl Place {
    /// ISO country; `None` when unstated, which passes no country filter.
    pub fn country(&self) -> Option<&str> {
        self.city_country.as_ref().map(|(_, c)| c.as_str())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.region, &self.city_country) {
            (Some(region), Some((city, country))) => {
                write!(f, "{}:{region} ({city}, {country})", self.provider)
            }
            (Some(region), None) => write!(f, "{}:{region}", self.provider),
            (None, _) => write!(f, "{}:?", self.provider),
        }
    }
}
