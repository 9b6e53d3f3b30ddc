package io.millrace.gateway.jobs;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The settings of a webhook: who is sent a message when a job has ended, and the key that signs it. */
public record WebhookSettings(
        @SettingDescription(
                value = "The URL that messages are posted to. Redirects are not followed.",
                example = "https://hooks.example.com/millrace")
        WebUrl url,

        @SettingDescription(
                value = "The key of the signatures, as Standard Webhooks has it: 24 to 64 bytes in Base64 after whsec_,"
                        + " or any text of 24 characters or more. Better in a file.",
                example = "${WEBHOOK_KEY}")
        Secret key,

        @SettingDescription("TLS to the receiver: trusted authorities and a client certificate.")
        BackendTlsSettings tls) {
    private static final int LEAST_BYTES = 24;
    private static final String BASE64 = "whsec_";

    /**
     * Checks the key.
     *
     * @throws IllegalArgumentException if it is too short, or no Base64
     */
    public WebhookSettings {
        if (bytes(key.reveal()).length < LEAST_BYTES) {
            throw new RefusedSettingException(
                    "key", "is too short", "write 24 characters or more, as of openssl rand -base64 32");
        }
    }

    /** Returns the bytes that messages are signed with. */
    byte[] keyBytes() {
        return bytes(key.reveal());
    }

    private static byte[] bytes(String text) {
        try {
            return text.startsWith(BASE64)
                    ? Base64.getDecoder().decode(text.substring(BASE64.length()))
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new RefusedSettingException("key", "has no Base64 after whsec_", "copy the whole key");
        }
    }
}
