//! The examples of the workspace's README, so that they are tested with the documentation.
#![doc = include_str!("../../README.md")]
