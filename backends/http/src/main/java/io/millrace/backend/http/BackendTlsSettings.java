package io.millrace.backend.http;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.kit.UnusablePemFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The settings of TLS to the servers of a backend: trusted authorities and a client certificate. The files are read at
 * the start.
 */
public record BackendTlsSettings(
        @SettingDescription(
                value = "Certificates of authorities that may issue the server's certificate, in PEM.",
                example = "./company-ca.pem")
        Optional<Path> authorities,

        @SettingDescription(
                value = "Whether the authorities of the Java runtime are trusted beside those of authorities. Set it to"
                        + " false if no public authority may vouch for the server.",
                defaultValue = "true")
        boolean publicAuthorities,

        @SettingDescription(
                value = "The certificate chain that is presented to a server that asks for one, in PEM, the client's"
                        + " own certificate first; private-key goes with it.",
                example = "./client.pem")
        Optional<Path> certificate,

        @SettingDescription(
                value = "The private key of certificate, in PEM without a password (PKCS#8).",
                example = "./client-key.pem")
        Optional<Path> privateKey)
        implements SelfValidatingSettings {
    /** The settings of a file that sets none. */
    public static final BackendTlsSettings DEFAULTS =
            new BackendTlsSettings(Optional.empty(), true, Optional.empty(), Optional.empty());

    @Override
    public void check(ProblemReporter problems) {
        if (certificate.isPresent() != privateKey.isPresent()) {
            boolean key = certificate.isPresent();
            problems.add(
                    key ? "private-key" : "certificate",
                    "",
                    "is required with " + (key ? "certificate" : "private-key"),
                    "add it, or leave both out");
            return;
        }
        if (!publicAuthorities && authorities.isEmpty()) {
            problems.add(
                    "authorities", "", "is required if public-authorities is false", "write the path of a PEM file");
            return;
        }
        try {
            warnIfExpired(OutboundTls.load(this), problems);
        } catch (UnusablePemFileException e) {
            problems.add(e.name(), e.file(), e.problem(), e.remedy());
        }
    }

    BackendTlsSettings withoutCertificate() {
        return new BackendTlsSettings(authorities, publicAuthorities, Optional.empty(), Optional.empty());
    }

    private void warnIfExpired(OutboundTls loaded, ProblemReporter problems) {
        loaded.expiry()
                .filter(end -> end.isBefore(Instant.now()))
                .ifPresent(end -> problems.warn(
                        "certificate",
                        certificate.orElseThrow(),
                        "has expired on " + end,
                        "set a renewed certificate and its key"));
    }
}
