//! Prices from the command line: `--price CLUSTER=131.5CNY/h`.

use super::cluster_key::{InstanceAt, UnknownName};
use super::price::PriceRate;
use crate::catalog::{Catalog, InstanceId};
use crate::plan::Cluster;
use crate::units::MoneyError;

/// Why a `--price` could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserPriceError {
    /// No `=`.
    #[error("{0:?} is not a price of a cluster, such as \"provider/instance@region=131.5CNY/h\"")]
    Shape(String),
    /// The cluster is not known.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// The cluster counts several nodes.
    #[error(
        "the price is that of one node, and \":{nodes}\" counts several: write {key}=AMOUNT with the price of one; the number of \
         nodes belongs to --cluster"
    )]
    Counted {
        /// Nodes as counted.
        nodes: u32,
        /// The cluster without them.
        key: String,
    },
    /// The amount is none.
    #[error(
        "{0:?} is not a price from above zero to ten million with its unit, such as \"131.5CNY/h\" or \"63118CNY/month\""
    )]
    Rate(String),
}

/// One price that the user stated; it wins over all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPrice {
    /// The instance type.
    pub instance: InstanceId,
    /// The region it holds in; `None` for all.
    pub region: Option<String>,
    /// The price of one node.
    pub rate: PriceRate,
}

impl UserPrice {
    /// Reads `provider/instance[@region]=131.5CNY/h` or `...=63118CNY/month`, the price of one node.
    ///
    /// # Errors
    /// When the cluster is unknown (near names are listed) or counts several nodes, or the price has no amount, currency or unit.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Self, UserPriceError> {
        let (cluster, rate) = text.rsplit_once('=').ok_or_else(|| UserPriceError::Shape(text.to_owned()))?;
        let at = InstanceAt::parse(cluster, catalog)?;
        if let Some(nodes) = at.nodes.filter(|&nodes| nodes != 1) {
            return Err(UserPriceError::Counted { nodes, key: at.key(catalog) });
        }
        let rate = PriceRate::parse(rate).map_err(|_: MoneyError| UserPriceError::Rate(rate.to_owned()))?;
        Ok(Self { instance: at.instance, region: at.region, rate })
    }

    /// Whether it says of the same offer, by the same unit of time, what another says.
    pub fn is_for_what(&self, other: &Self) -> bool {
        let unit = |price: &Self| std::mem::discriminant(&price.rate);
        self.instance == other.instance && self.region == other.region && unit(self) == unit(other)
    }

    /// Whether a cluster, wherever it may stand, is made of what it is the price of.
    pub fn is_of(&self, cluster: &Cluster) -> bool {
        let place = cluster.place.as_ref().and_then(|place| place.region.as_ref());
        let elsewhere = self.region.as_ref().zip(place).is_some_and(|(own, other)| own != other);
        cluster.instance == Some(self.instance) && !elsewhere
    }

    /// The text that [`UserPrice::parse`] reads.
    pub fn text(&self, catalog: &Catalog) -> String {
        let at = InstanceAt { instance: self.instance, region: self.region.clone(), nodes: None };
        format!("{}={}", at.key(catalog), self.rate)
    }
}
