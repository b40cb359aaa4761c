//! Which requests are for this server: those that name it, come from its own page, and know the
//! secret of its address.

use super::http::{Request, Status};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// What a request must show.
pub struct Gate {
    address: SocketAddr,
    token: String,
}

impl Gate {
    /// A gate with a new secret, for a server that listens on this address.
    pub fn new(address: SocketAddr) -> Gate {
        Gate {
            address,
            token: secret(),
        }
    }

    /// The address of the page, as this machine reaches it.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let address = SocketAddr::new(ip, self.address.port());
        format!("http://{address}/{}/", self.token)
    }

    /// The path of a request behind the secret.
    ///
    /// # Errors
    /// When the request is for another server, from another page, or does not know the secret.
    pub fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, Status> {
        let host = request.host.as_deref().ok_or(Status::BadRequest)?;
        if !self.is_own(host) {
            return Err(Status::Forbidden);
        }
        let own_page = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if !request.origin.as_deref().is_none_or(own_page) {
            return Err(Status::Forbidden);
        }
        let path = request.path.strip_prefix('/');
        let (token, path) = path
            .and_then(|path| path.split_once('/'))
            .ok_or(Status::NotFound)?;
        match is_equal(token, &self.token) {
            true => Ok(path),
            false => Err(Status::NotFound),
        }
    }

    /// Whether a `Host` means this server. A name other than `localhost` may be that of a page
    /// elsewhere which had it point here.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) => (name, port.parse().ok()),
            None => (host, Some(80)),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let ip: Option<IpAddr> = name.parse().ok();
        let own = self.address.ip();
        let is_here = match ip {
            Some(ip) if own.is_unspecified() => !ip.is_unspecified(),
            Some(ip) => ip == own,
            None => {
                name.eq_ignore_ascii_case("localhost")
                    && (own.is_loopback() || own.is_unspecified())
            }
        };
        is_here && port == Some(self.address.port())
    }
}

/// 32 digits that nobody can guess: the keys of std's hashes come from the system's randomness.
pub fn secret() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// Compares in a time that does not tell where they differ.
fn is_equal(one: &str, other: &str) -> bool {
    let differences = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(gate: &Gate, host: &str, origin: Option<&str>) -> Result<(), Status> {
        let request = Request {
            method: "GET".to_owned(),
            path: format!("/{}/style.css", gate.token),
            host: Some(host.to_owned()),
            origin: origin.map(str::to_owned),
            body: Vec::new(),
        };
        let path = gate.admit(&request)?;
        assert_eq!(path, "style.css");
        Ok(())
    }

    #[test]
    fn other_hosts_and_origins_are_refused() {
        let gate = Gate::new("127.0.0.1:8361".parse().unwrap());
        for host in ["127.0.0.1:8361", "localhost:8361"] {
            assert_eq!(asked(&gate, host, None), Ok(()));
            assert_eq!(asked(&gate, host, Some(&format!("http://{host}"))), Ok(()));
        }
        for host in [
            "evil.example:8361",
            "127.0.0.1",
            "127.0.0.1:80",
            "10.0.0.1:8361",
            "",
        ] {
            assert_eq!(asked(&gate, host, None), Err(Status::Forbidden), "{host}");
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8361",
            "http://localhost:8361",
        ] {
            let refused = asked(&gate, "127.0.0.1:8361", Some(origin));
            assert_eq!(refused, Err(Status::Forbidden), "{origin}");
        }
        let open = Gate::new("0.0.0.0:8361".parse().unwrap());
        for host in ["192.168.1.5:8361", "127.0.0.1:8361", "localhost:8361"] {
            assert_eq!(asked(&open, host, None), Ok(()), "{host}");
        }
        assert!(open.url().starts_with("http://127.0.0.1:8361/"));
        let open = Gate::new("[::]:8361".parse().unwrap());
        assert!(open.url().starts_with("http://[::1]:8361/"));
        assert_eq!(asked(&open, "[::1]:8361", None), Ok(()));
        assert_eq!(
            asked(&open, "evil.example:8361", None),
            Err(Status::Forbidden)
        );
    }

    #[test]
    fn secrets_differ() {
        let secrets = [secret(), secret()];
        assert_ne!(secrets[0], secrets[1]);
        assert!(
            secrets
                .iter()
                .all(|it| it.len() == 32 && it != &"0".repeat(32))
        );
    }
}
