//! Every phrase of the reports.
