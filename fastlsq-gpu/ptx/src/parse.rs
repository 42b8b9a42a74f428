//! From text to instructions.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::instruction::{
    Binary, Comparison, Instruction, Kind, Operand, Operation, Register, Space, Special, Unary,
};

/// Text that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {what}: {text}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was expected or is not supported.
    pub what: &'static str,
    /// The text there.
    pub text: String,
}

/// A parsed text.
#[derive(Debug, Clone)]
pub struct Module {
    version: (u32, u32),
    target: u32,
    kernels: BTreeMap<String, Kernel>,
}

/// A function that can be launched.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub(crate) name: String,
    /// The size of each parameter in bytes.
    pub(crate) parameters: Vec<u32>,
    pub(crate) registers: usize,
    pub(crate) shared_bytes: usize,
    pub(crate) code: Vec<Instruction>,
    /// The lines of the text, for error messages.
    pub(crate) text: Vec<String>,
}

impl Kernel {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sizes of the parameters in bytes, in order.
    #[must_use]
    pub fn parameters(&self) -> &[u32] {
        &self.parameters
    }
}

impl Module {
    /// Parses a whole text.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut module = Self {
            version: (0, 0),
            target: 0,
            kernels: BTreeMap::new(),
        };
        let lines: Vec<String> = text.lines().map(without_comment).collect();
        let mut number = 0;
        while number < lines.len() {
            let line = lines[number].trim();
            let fail = |what| ParseError {
                line: number + 1,
                what,
                text: line.to_owned(),
            };
            if line.is_empty() || line.starts_with(".address_size") {
            } else if let Some(version) = line.strip_prefix(".version") {
                let (major, minor) = version.trim().split_once('.').ok_or(fail("a version"))?;
                let parsed = major.parse().ok().zip(minor.parse().ok());
                module.version = parsed.ok_or(fail("a version"))?;
            } else if let Some(target) = line.strip_prefix(".target sm_") {
                module.target = target.parse().map_err(|_| fail("a target"))?;
            } else if line.contains(".entry") {
                let kernel = Body::read(&lines, &mut number)?;
                module.kernels.insert(kernel.name.clone(), kernel);
            } else {
                return Err(fail("not supported outside a kernel"));
            }
            number += 1;
        }
        Ok(module)
    }

    /// The version of PTX that the text is written in.
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The compute capability it is written for, times ten.
    #[must_use]
    pub fn target(&self) -> u32 {
        self.target
    }

    /// A kernel by its name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.get(name)
    }

    /// All kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.values()
    }
}

fn without_comment(line: &str) -> String {
    line.split("//").next().unwrap_or_default().to_owned()
}

/// A predicate and the value it must have.
type Guard = Option<(Register, bool)>;

/// A kernel while it is being read.
struct Body<'a> {
    line: usize,
    statement: &'a str,
    parameters: Vec<(String, u32)>,
    /// Prefix of a family of registers, its first place, its size.
    families: Vec<(String, u32, u32)>,
    registers: u32,
    /// Name and address of each shared variable.
    shared: Vec<(String, u64)>,
    shared_bytes: u64,
    labels: BTreeMap<String, u32>,
    /// Branches to be given their targets.
    branches: Vec<(usize, String, usize)>,
    code: Vec<Instruction>,
}

impl<'a> Body<'a> {
    /// Reads a kernel; `number` is its first line, and its last line afterwards.
    fn read(lines: &'a [String], number: &mut usize) -> Result<Kernel, ParseError> {
        let mut body = Self {
            line: *number + 1,
            statement: "",
            parameters: Vec::new(),
            families: Vec::new(),
            registers: 0,
            shared: Vec::new(),
            shared_bytes: 0,
            labels: BTreeMap::new(),
            branches: Vec::new(),
            code: Vec::new(),
        };
        let head = lines[*number].trim();
        body.statement = head;
        let name = head.split(".entry").nth(1).unwrap_or_default();
        let name = name.trim().trim_end_matches('(').trim().to_owned();
        if name.is_empty() {
            return Err(body.fail("a kernel without a name"));
        }
        let mut inside = false;
        loop {
            *number += 1;
            let Some(line) = lines.get(*number) else {
                return Err(body.fail("a kernel without an end"));
            };
            body.line = *number + 1;
            body.statement = line.trim();
            match body.statement {
                "" | ")" | "(" => {}
                "{" if !inside => inside = true,
                "}" if inside => break,
                _ if inside => body.statement()?,
                _ => body.parameter()?,
            }
        }
        for (place, label, line) in std::mem::take(&mut body.branches) {
            let target = *body.labels.get(&label).ok_or(ParseError {
                line,
                what: "a branch to nowhere",
                text: label,
            })?;
            body.code[place].operation = Operation::Branch { target };
        }
        Ok(Kernel {
            name,
            parameters: body.parameters.iter().map(|(_, bytes)| *bytes).collect(),
            registers: body.registers as usize,
            shared_bytes: body.shared_bytes as usize,
            code: body.code,
            text: lines.to_vec(),
        })
    }

    fn fail(&self, what: &'static str) -> ParseError {
        ParseError {
            line: self.line,
            what,
            text: self.statement.to_owned(),
        }
    }

    fn parameter(&mut self) -> Result<(), ParseError> {
        let mut words = self.statement.trim_end_matches(',').split_whitespace();
        let (keyword, kind, name) = (words.next(), words.next(), words.next());
        let bytes = match kind {
            Some(".u32" | ".s32" | ".b32") => 4,
            Some(".u64" | ".s64" | ".b64" | ".f64") => 8,
            _ => return Err(self.fail("a parameter of an unknown type")),
        };
        match (keyword, name) {
            (Some(".param"), Some(name)) => {
                self.parameters.push((name.to_owned(), bytes));
                Ok(())
            }
            _ => Err(self.fail("a parameter")),
        }
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        let text = self.statement;
        if let Some(label) = text.strip_suffix(':') {
            let place = self.code.len() as u32;
            self.labels.insert(label.to_owned(), place);
            return Ok(());
        }
        let text = text.strip_suffix(';').ok_or(self.fail("a statement"))?;
        if let Some(declaration) = text.strip_prefix(".reg") {
            return self.registers(declaration);
        }
        if let Some(declaration) = text.strip_prefix(".shared") {
            return self.shared(declaration);
        }
        let (guard, text) = self.guard(text)?;
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands: Vec<&str> = rest
            .split(',')
            .map(str::trim)
            .filter(|operand| !operand.is_empty())
            .collect();
        let operation = self.operation(name, &operands)?;
        self.code.push(Instruction {
            operation,
            guard,
            line: self.line as u32,
        });
        Ok(())
    }

    fn registers(&mut self, declaration: &str) -> Result<(), ParseError> {
        let fail = || self.fail("a declaration of registers");
        let mut words = declaration.split_whitespace();
        let (_, family) = words.next().zip(words.next()).ok_or_else(fail)?;
        let (prefix, count) = family.split_once('<').ok_or_else(fail)?;
        let count = count.strip_suffix('>').and_then(|count| count.parse().ok());
        let count: u32 = count.ok_or_else(fail)?;
        let first = self.registers;
        self.families.push((prefix.to_owned(), first, count));
        self.registers += count;
        Ok(())
    }

    fn shared(&mut self, declaration: &str) -> Result<(), ParseError> {
        let fail = || self.fail("a declaration of shared memory");
        let variable = declaration.split_whitespace().last().ok_or_else(fail)?;
        let (name, size) = variable.split_once('[').ok_or_else(fail)?;
        let size = size.strip_suffix(']').and_then(|size| size.parse().ok());
        let size: u64 = size.ok_or_else(fail)?;
        self.shared.push((name.to_owned(), self.shared_bytes));
        self.shared_bytes += size.next_multiple_of(8);
        Ok(())
    }

    /// Splits off `@%p1` or `@!%p1`.
    fn guard<'t>(&self, text: &'t str) -> Result<(Guard, &'t str), ParseError> {
        let Some(guarded) = text.strip_prefix('@') else {
            return Ok((None, text));
        };
        let (predicate, rest) = guarded
            .split_once(char::is_whitespace)
            .ok_or(self.fail("a guard"))?;
        let (name, wanted) = match predicate.strip_prefix('!') {
            Some(name) => (name, false),
            None => (predicate, true),
        };
        Ok((Some((self.register(name)?, wanted)), rest.trim()))
    }

    fn register(&self, name: &str) -> Result<Register, ParseError> {
        self.find_register(name).ok_or(self.fail("a register"))
    }

    fn find_register(&self, name: &str) -> Option<Register> {
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (prefix, index) = name.split_at(digits);
        let index: u32 = index.parse().ok()?;
        let family = self.families.iter().find(|family| family.0 == prefix)?;
        (index < family.2).then_some(family.1 + index)
    }

    fn operand(&self, text: &str) -> Result<Operand, ParseError> {
        if let Some(special) = special(text) {
            return Ok(Operand::Special(special));
        }
        if text.starts_with('%') {
            return self.register(text).map(Operand::Register);
        }
        if let Some((_, address)) = self.shared.iter().find(|(name, _)| name == text) {
            return Ok(Operand::Constant(*address));
        }
        constant(text)
            .map(Operand::Constant)
            .ok_or(self.fail("an operand"))
    }

    /// `[%rd1+8]` as a base and an offset.
    fn address(&self, text: &str) -> Result<(Operand, i64), ParseError> {
        let inner = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let inner = inner.ok_or(self.fail("an address"))?;
        match inner.split_once('+') {
            None => Ok((self.operand(inner)?, 0)),
            Some((base, offset)) => {
                let offset = offset.trim().parse().map_err(|_| self.fail("an offset"))?;
                Ok((self.operand(base.trim())?, offset))
            }
        }
    }

    fn operation(&mut self, name: &str, operands: &[&str]) -> Result<Operation, ParseError> {
        let parts: Vec<&str> = name.split('.').collect();
        match (parts.as_slice(), operands) {
            (["ret"], []) => Ok(Operation::Return),
            (["bar", "sync"], ["0"]) => Ok(Operation::Barrier),
            (["bra"] | ["bra", "uni"], [label]) => {
                let branch = (self.code.len(), (*label).to_owned(), self.line);
                self.branches.push(branch);
                Ok(Operation::Branch { target: 0 })
            }
            (["ld", "param", kind], [target, source]) => self.load_parameter(kind, target, source),
            (["ld", space, kind], [target, source]) => {
                let (base, offset) = self.address(source)?;
                Ok(Operation::Load {
                    space: self.space(space)?,
                    bytes: self.bytes(kind)?,
                    target: self.register(target)?,
                    base,
                    offset,
                })
            }
            (["st", space, kind], [target, value]) => {
                let (base, offset) = self.address(target)?;
                Ok(Operation::Store {
                    space: self.space(space)?,
                    bytes: self.bytes(kind)?,
                    base,
                    offset,
                    value: self.operand(value)?,
                })
            }
            (["atom", "global", "min", "u64"], [target, address, value]) => {
                let (base, offset) = self.address(address)?;
                Ok(Operation::AtomicMinimum {
                    target: self.register(target)?,
                    base,
                    offset,
                    value: self.operand(value)?,
                })
            }
            (["setp", comparison, kind], [target, a, b]) => {
                self.compare(comparison, kind, target, a, b)
            }
            (["selp", _], [target, a, b, condition]) => Ok(Operation::Select {
                target: self.register(target)?,
                a: self.operand(a)?,
                b: self.operand(b)?,
                condition: self.register(condition)?,
            }),
            (["fma", "rn", "f64"], [target, a, b, c]) => Ok(Operation::FusedMultiplyAdd {
                target: self.register(target)?,
                a: self.operand(a)?,
                b: self.operand(b)?,
                c: self.operand(c)?,
            }),
            (["mad", "lo", kind], [target, a, b, c]) => Ok(Operation::MultiplyAdd {
                bits: 8 * self.bytes(kind)?,
                target: self.register(target)?,
                a: self.operand(a)?,
                b: self.operand(b)?,
                c: self.operand(c)?,
            }),
            (_, [target, a]) => self.unary(&parts, target, a),
            (_, [target, a, b]) => self.binary(&parts, target, a, b),
            _ => Err(self.fail("an instruction that is not supported")),
        }
    }

    fn load_parameter(
        &self,
        kind: &str,
        target: &str,
        source: &str,
    ) -> Result<Operation, ParseError> {
        let name = source
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let index = name.and_then(|name| self.parameters.iter().position(|(own, _)| own == name));
        let index = index.ok_or(self.fail("a parameter"))?;
        if self.parameters[index].1 != self.bytes(kind)? {
            return Err(self.fail("a parameter of another size"));
        }
        Ok(Operation::LoadParameter {
            target: self.register(target)?,
            index: index as u32,
        })
    }

    fn space(&self, name: &str) -> Result<Space, ParseError> {
        match name {
            "global" => Ok(Space::Global),
            "shared" => Ok(Space::Shared),
            _ => Err(self.fail("a kind of memory that is not supported")),
        }
    }

    fn bytes(&self, kind: &str) -> Result<u32, ParseError> {
        match kind {
            "u32" | "s32" | "b32" | "f32" => Ok(4),
            "u64" | "s64" | "b64" | "f64" => Ok(8),
            _ => Err(self.fail("a type that is not supported")),
        }
    }

    fn compare(
        &self,
        comparison: &str,
        kind: &str,
        target: &str,
        a: &str,
        b: &str,
    ) -> Result<Operation, ParseError> {
        let comparison = match comparison {
            "eq" => Comparison::Equal,
            "ne" => Comparison::NotEqual,
            "lt" => Comparison::Less,
            "le" => Comparison::LessOrEqual,
            "gt" => Comparison::Greater,
            "ge" => Comparison::GreaterOrEqual,
            _ => return Err(self.fail("a comparison that is not supported")),
        };
        let kind = match kind {
            "f64" => Kind::Float64,
            "s32" | "s64" => Kind::Signed(8 * self.bytes(kind)?),
            _ => Kind::Unsigned(8 * self.bytes(kind)?),
        };
        if kind == Kind::Float64 && comparison == Comparison::NotEqual {
            return Err(self.fail("a comparison that is not supported"));
        }
        Ok(Operation::Compare {
            comparison,
            kind,
            target: self.register(target)?,
            a: self.operand(a)?,
            b: self.operand(b)?,
        })
    }

    fn unary(&self, parts: &[&str], target: &str, a: &str) -> Result<Operation, ParseError> {
        let what = match parts {
            ["mov", _] | ["cvta", "to", "global", "u64"] | ["cvt", "u64", "u32"] => Unary::Copy,
            ["cvt", "u32", "u64"] => Unary::Truncate(32),
            ["cvt", "s64", "s32"] => Unary::SignExtend,
            ["not", kind] => Unary::Not(8 * self.bytes(kind)?),
            ["neg", "f64"] => Unary::FloatNegate,
            ["abs", "f64"] => Unary::FloatAbsolute,
            ["sqrt", "rn", "f64"] => Unary::FloatSquareRoot,
            ["cvt", "rn", "f32", "f64"] => Unary::RoundToSingle,
            ["cvt", "f64", "f32"] => Unary::WidenSingle,
            _ => return Err(self.fail("an instruction that is not supported")),
        };
        Ok(Operation::Unary {
            what,
            target: self.register(target)?,
            a: self.operand(a)?,
        })
    }

    fn binary(
        &self,
        parts: &[&str],
        target: &str,
        a: &str,
        b: &str,
    ) -> Result<Operation, ParseError> {
        let bits = |kind: &str| self.bytes(kind).map(|bytes| 8 * bytes);
        let what = match parts {
            ["add", "rn", "f64"] => Binary::FloatAdd,
            ["sub", "rn", "f64"] => Binary::FloatSubtract,
            ["mul", "rn", "f64"] => Binary::FloatMultiply,
            ["div", "rn", "f64"] => Binary::FloatDivide,
            ["add", "f64"] | ["sub", "f64"] | ["mul", "f64"] => {
                // Without a rounding mode the driver may fuse it with its neighbours.
                return Err(self.fail("arithmetic that leaves its rounding to the driver"));
            }
            ["add", kind] => Binary::Add(bits(kind)?),
            ["sub", kind] => Binary::Subtract(bits(kind)?),
            ["mul", "lo", kind] => Binary::MultiplyLow(bits(kind)?),
            ["mul", "wide", "u32"] => Binary::MultiplyWideUnsigned,
            ["mul", "wide", "s32"] => Binary::MultiplyWideSigned,
            ["and", _] => Binary::And,
            ["or", _] => Binary::Or,
            ["xor", _] => Binary::Xor,
            ["shl", kind] => Binary::ShiftLeft(bits(kind)?),
            ["shr", kind @ ("u32" | "u64" | "b32" | "b64")] => {
                Binary::ShiftRightUnsigned(bits(kind)?)
            }
            ["shr", kind] => Binary::ShiftRightSigned(bits(kind)?),
            _ => return Err(self.fail("an instruction that is not supported")),
        };
        Ok(Operation::Binary {
            what,
            target: self.register(target)?,
            a: self.operand(a)?,
            b: self.operand(b)?,
        })
    }
}

fn special(text: &str) -> Option<Special> {
    let (name, axis) = text.split_once('.')?;
    let axis = match axis {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        _ => return None,
    };
    match name {
        "%tid" => Some(Special::Thread(axis)),
        "%ctaid" => Some(Special::Block(axis)),
        "%ntid" => Some(Special::BlockSize(axis)),
        "%nctaid" => Some(Special::GridSize(axis)),
        _ => None,
    }
}

/// An integer, or a double by its bits.
fn constant(text: &str) -> Option<u64> {
    if let Some(bits) = text.strip_prefix("0d").or_else(|| text.strip_prefix("0D")) {
        return u64::from_str_radix(bits, 16).ok();
    }
    if let Some(bits) = text.strip_prefix("0x") {
        return u64::from_str_radix(bits, 16).ok();
    }
    match text.strip_prefix('-') {
        Some(_) => text.parse::<i64>().ok().map(|value| value as u64),
        None => text.parse().ok(),
    }
}
