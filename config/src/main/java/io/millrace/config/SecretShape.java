package io.millrace.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A secret in the file itself. {@link SecretKey} adds the other way, a file of its own. */
record SecretShape() implements Shape {
    private static final String REMEDY = "write the secret, or ${NAME} for an environment variable";

    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (!(tree instanceof Tree.Scalar scalar) || scalar.blank()) {
            return Shape.refuse(tree, path, binding, "a single value", REMEDY);
        }
        Optional<Text> text = binding.text(scalar, path, true);
        return text.isEmpty() ? null : secret(text.get(), path, binding.report());
    }

    private static @Nullable Secret secret(Text text, String path, Report report) {
        if (text.value().isEmpty()) {
            report.addAt(path, new Unfit("is empty", REMEDY));
            return null;
        }
        Secret secret = Secret.of(text.value());
        report.conceal(secret);
        return secret;
    }

    @Override
    public String word() {
        return "secret";
    }

    @Override
    public boolean isSingle() {
        return true;
    }

    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        return rest.isEmpty() ? Stream.of(here) : Stream.empty();
    }
}
