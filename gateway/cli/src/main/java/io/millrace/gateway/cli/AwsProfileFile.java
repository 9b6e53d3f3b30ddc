package io.millrace.gateway.cli;

import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A parsed AWS credentials or config file: {@code [default]} and other sections of {@code name = value}. Comments stand
 * on lines of their own, because secrets may contain any character. Indented lines, which continue a setting, are
 * skipped.
 *
 * @param sections settings by section name; the last one wins if a setting is repeated
 */
record AwsProfileFile(Path path, Map<String, Map<String, String>> sections) {
    private static final String PROFILE = "profile ";

    /**
     * Reads the file at {@code path}. A missing file has no sections.
     *
     * @throws CliException if the file exists but cannot be read
     */
    static AwsProfileFile read(Path path) {
        if (!Files.isRegularFile(path)) {
            return new AwsProfileFile(path, Map.of());
        }
        try {
            // Latin-1 reads every byte, and keys are ASCII.
            return parse(path, Files.readString(path, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw CliException.usage("cannot read %s: %s".formatted(path, FileFailureText.of(e)));
        }
    }

    static AwsProfileFile parse(Path path, String text) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        @Nullable Map<String, String> section = null;
        for (String line : text.lines().toList()) {
            String stripped = line.strip();
            if (stripped.isEmpty() || stripped.startsWith("#") || stripped.startsWith(";")) {
                continue;
            }
            if (stripped.startsWith("[")) {
                section = name(stripped)
                        .map(name -> sections.computeIfAbsent(name, n -> new LinkedHashMap<>()))
                        .orElse(null);
            } else if (section != null && !Character.isWhitespace(line.charAt(0))) {
                setting(stripped, section);
            }
        }
        return new AwsProfileFile(path, sections);
    }

    /** Finds a profile: {@code [NAME]} in a credentials file, {@code [profile NAME]} in a config file. */
    Optional<Map<String, String>> profile(String name) {
        Map<String, String> plain = sections.get(name);
        return Optional.ofNullable(plain == null ? sections.get(PROFILE + name) : plain);
    }

    private static Optional<String> name(String line) {
        int end = line.indexOf(']');
        if (end < 0) {
            return Optional.empty();
        }
        String name = line.substring(1, end).strip().replaceAll("\\s+", " ");
        boolean quoted = name.startsWith(PROFILE + '"') && name.endsWith("\"") && name.length() > PROFILE.length() + 1;
        return Optional.of(quoted ? PROFILE + name.substring(PROFILE.length() + 1, name.length() - 1) : name);
    }

    private static void setting(String line, Map<String, String> section) {
        int equals = line.indexOf('=');
        if (equals > 0) {
            section.put(
                    line.substring(0, equals).strip().toLowerCase(Locale.ROOT),
                    line.substring(equals + 1).strip());
        }
    }
}
