//! The language: what is printed is read again, values and slopes are exact, mistakes are named, and nothing that is
//! written can exhaust time, memory or the stack.

mod calls;
mod evaluation;
mod limits;
mod linearity;
mod misreadings;
mod printing;
mod tree;
mod values;
