package io.millrace.gateway.jobs;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.util.Base64;

/** The settings of a webhook: who is sent a message when a job has ended, and the key that signs it. */
public record WebhookSettings(
        @SettingDescription(
                value = "The URL that messages are posted to. Redirects are not followed.",
                example = "https://hooks.example.com/millrace")
        WebUrl url,

        @SettingDescription(
                value = "The key of the signatures, as Standard Webhooks has it: 24 to 64 bytes in Base64 after whsec_."
                        + " Better in a file.",
                example = "${WEBHOOK_KEY}")
        Secret key,

        @SettingDescription("TLS to the receiver: trusted authorities and a client certificate.")
        BackendTlsSettings tls) {
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final String PREFIX = "whsec_";

    /**
     * Checks the key. Libraries take the text of a key for Base64, whether it has the prefix or not, so one of another
     * form would make signatures that they refuse.
     *
     * @throws IllegalArgumentException if it is not of the form of Standard Webhooks
     */
    public WebhookSettings {
        int length = bytes(key.reveal()).length;
        if (length < LEAST_BYTES || length > MOST_BYTES) {
            throw refused("has %d bytes, not %d to %d".formatted(length, LEAST_BYTES, MOST_BYTES));
        }
    }

    /** Returns the bytes that messages are signed with. */
    byte[] keyBytes() {
        return bytes(key.reveal());
    }

    private static byte[] bytes(String text) {
        if (!text.startsWith(PREFIX)) {
            throw refused("does not begin with " + PREFIX);
        }
        try {
            return Base64.getDecoder().decode(text.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw refused("has no Base64 after " + PREFIX);
        }
    }

    private static RefusedSettingException refused(String problem) {
        return new RefusedSettingException(
                "key",
                problem,
                "copy the whole key of the receiver, or make one: echo whsec_$(openssl rand -base64 32)");
    }
}
