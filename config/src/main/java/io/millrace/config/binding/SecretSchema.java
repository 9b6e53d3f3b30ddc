package io.millrace.config.binding;

import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.ResolvedText;
import io.millrace.config.source.SettingsTree;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The shape of a secret in the settings file. {@link InlineOrFileSecret} handles a secret in a file of its own. */
record SecretSchema() implements Schema {
    private static final String REMEDY = "write the secret, or ${NAME} for an environment variable";

    @Override
    public @Nullable Object bind(SettingsTree tree, String path, BindingContext binding) {
        if (!(tree instanceof SettingsTree.Scalar scalar) || scalar.blank()) {
            return Schema.reportMismatch(tree, path, binding, "a single value", REMEDY);
        }
        Optional<ResolvedText> text = binding.text(scalar, path, true);
        return text.isEmpty() ? null : secret(text.get(), path, binding.report());
    }

    private static @Nullable Secret secret(ResolvedText text, String path, ProblemCollector report) {
        if (text.value().isEmpty()) {
            report.addAt(path, new InvalidValueException("is empty", REMEDY));
            return null;
        }
        Secret secret = Secret.of(text.value());
        report.redactSecret(secret);
        return secret;
    }

    @Override
    public String typeName() {
        return "secret";
    }

    @Override
    public boolean isScalar() {
        return true;
    }

    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsTree tree, List<SettingPathStep> here) {
        return rest.isEmpty() ? Stream.of(here) : Stream.empty();
    }
}
