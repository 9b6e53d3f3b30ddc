package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Verifies that settings are listed by their keys, without secrets. */
class EffectiveSettingsListerTest {
    private record Key(
            @SettingDescription("Its name.") String name,
            @SettingDescription("Its secret.") Secret secretKey) {}

    private record Part(
            @SettingDescription("A time.") Duration idleTime,
            @SettingDescription("Words.") List<String> words,
            @SettingDescription("A unit.") TimeUnit unit,
            @SettingDescription("A place.") Optional<URI> endpoint) {}

    private record Whole(
            @SettingDescription("A part.") Part part,
            @SettingDescription("Keys.") List<Key> keys,
            @SettingDescription("Backends.") Map<String, SettingsVariant> backends) {}

    @Test
    void listsEverySettingByItsKey() {
        Part part = new Part(Duration.ofSeconds(90), List.of("a", "b"), TimeUnit.SECONDS, Optional.empty());
        Key key = new Key("admin", Secret.of("hidden-secret"));

        assertThat(EffectiveSettingsLister.of(
                        new Whole(part, List.of(key), Map.of("far", new SettingsVariant("s3", key)))))
                .containsExactly(
                        new EffectiveSetting("part.idle-time", "1m30s"),
                        new EffectiveSetting("part.words", "a, b"),
                        new EffectiveSetting("part.unit", "seconds"),
                        new EffectiveSetting("keys[0].name", "admin"),
                        new EffectiveSetting("keys[0].secret-key", "***"),
                        new EffectiveSetting("backends.far.type", "s3"),
                        new EffectiveSetting("backends.far.name", "admin"),
                        new EffectiveSetting("backends.far.secret-key", "***"));
    }

    @Test
    void redactsPasswordsOfUrls() {
        Part part = new Part(
                Duration.ZERO,
                List.of("https://user:hidden@host/a"),
                TimeUnit.SECONDS,
                Optional.of(URI.create("https://user:hidden@host/b")));

        assertThat(EffectiveSettingsLister.of(part))
                .contains(
                        new EffectiveSetting("words", "https://***@host/a"),
                        new EffectiveSetting("endpoint", "https://***@host/b"));
    }
}
