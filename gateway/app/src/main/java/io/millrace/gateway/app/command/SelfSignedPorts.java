package io.millrace.gateway.app.command;

import io.millrace.gateway.app.LocalUrl;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.StartException;
import io.millrace.gateway.tls.SelfSignedCertificate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with a self-signed certificate of the ports whose settings have none, which {@code serve --self-signed} adds to
 * the settings.
 */
record SelfSignedPorts(SelfSignedCertificate certificate, boolean s3, boolean admin) {
    private static final Logger log = LoggerFactory.getLogger(SelfSignedPorts.class);
    private static final String NOTHING = "--self-signed does nothing: both ports have certificates in the settings";

    /**
     * Returns those of these settings, as they were loaded without it. Makes the certificate if there is none.
     *
     * @throws StartException if it cannot be made
     */
    static SelfSignedPorts of(MillraceSettings settings) {
        return new SelfSignedPorts(
                certificate(settings),
                settings.s3().tls().isEmpty(),
                settings.admin().tls().isEmpty());
    }

    private static SelfSignedCertificate certificate(MillraceSettings settings) {
        try {
            return SelfSignedCertificate.in(
                    settings.data(),
                    List.of(settings.s3().address(), settings.admin().address()));
        } catch (IOException e) {
            throw new StartException(
                    "--self-signed: %s. To mend it, let this user write to the data folder".formatted(e.getMessage()),
                    e);
        }
    }

    /** Returns the environment variables with which the settings must be loaded again. */
    Map<String, String> in(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        if (s3) {
            add("MILLRACE_S3_TLS_", all);
        }
        if (admin) {
            add("MILLRACE_ADMIN_TLS_", all);
        }
        return all;
    }

    private void add(String prefix, Map<String, String> environment) {
        environment.put(prefix + "CERTIFICATE", certificate.certificate().toString());
        environment.put(prefix + "PRIVATE_KEY", certificate.privateKey().toString());
    }

    /** Returns the certificate if S3 is served with it. */
    Optional<Path> s3Certificate() {
        return s3 ? Optional.of(certificate.certificate()) : Optional.empty();
    }

    /** Logs how clients trust the certificate. */
    void log() {
        if (s3 || admin) {
            log.info(
                    "The certificate is signed by itself, and made once: curl trusts it by --cacert, aws-cli, boto3 and"
                            + " millrace by AWS_CA_BUNDLE, with the file {}",
                    certificate.certificate());
        } else {
            log.warn(NOTHING);
        }
    }

    /** Returns the message shown after the start: which URLs have the certificate, and how clients trust it. */
    String explanation(MillraceSettings settings, int s3Port, String console) {
        if (!s3 && !admin) {
            return NOTHING + ".\n";
        }
        StringBuilder text = new StringBuilder("\nThe certificate is signed by itself, and made once.\n");
        if (s3) {
            text.append("  S3             %s%n"
                    .formatted(LocalUrl.of(true, settings.s3().address(), s3Port)));
        }
        if (admin) {
            text.append("  console        %s%n".formatted(console));
        }
        return text.append("""
                  curl           --cacert '%1$s'
                  aws-cli, boto3, millrace
                                 export AWS_CA_BUNDLE='%1$s'
                """.formatted(certificate.certificate())).toString();
    }
}
