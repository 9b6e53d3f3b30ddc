package io.millrace.gateway.tls;

import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import java.nio.file.Path;
import java.util.Optional;

/** The settings of TLS on a port. The files are read again when they change. A reload applies other paths. */
public record TlsSettings(
        @Reloadable @SettingDescription("The certificate chain, in PEM, the server's own certificate first.")
        Path certificate,

        @Reloadable
        @SettingDescription("The private key of the certificate, in PEM without a password: PKCS#8, PKCS#1 or SEC1.")
        Path privateKey,

        @Reloadable
        @SettingDescription(
                value = "Certificates of authorities, in PEM. Clients must then present a certificate that one of them"
                        + " issued; requests are authenticated as without.",
                example = "./clients.pem")
        Optional<Path> clientAuthorities) {}
