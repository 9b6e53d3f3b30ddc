package io.millrace.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the shape of a record component from its Java type. */
final class Shapes {
    private final RecordComponent component;
    private final Setting setting;
    private final Variants variants;

    private Shapes(RecordComponent component, Setting setting, Variants variants) {
        this.component = component;
        this.setting = setting;
        this.variants = variants;
    }

    /**
     * The shape of {@code component}.
     *
     * @throws IllegalStateException if nothing in a file can become its type
     */
    static Shape of(RecordComponent component, Setting setting, Variants variants) {
        return new Shapes(component, setting, variants).of(component.getGenericType());
    }

    private Shape of(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic);
        }
        if (type instanceof Class<?> plain) {
            return plain(plain);
        }
        throw unsupported(type);
    }

    private Shape generic(ParameterizedType type) {
        Type[] arguments = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return new OptionalShape(of(arguments[0]));
        }
        if (type.getRawType() == List.class) {
            return new ListShape(of(arguments[0]));
        }
        if (type.getRawType() == Map.class && arguments[0] == String.class) {
            return new MapShape(of(arguments[1]));
        }
        throw unsupported(type);
    }

    private Shape plain(Class<?> type) {
        @Nullable ScalarShape builtIn = BuiltIn.SHAPES.get(type);
        if (builtIn != null) {
            return builtIn;
        }
        if (type == Secret.class) {
            return new SecretShape();
        }
        if (type == Typed.class) {
            return VariantShape.of(family(), variants);
        }
        if (type.isEnum()) {
            return EnumText.shape(type);
        }
        return ParsedText.shape(type, setting.example()).map(Shape.class::cast).orElseGet(() -> record(type));
    }

    private Shape record(Class<?> type) {
        if (!type.isRecord()) {
            throw unsupported(type);
        }
        return new RecordShape(type.asSubclass(Record.class), variants);
    }

    private String family() {
        @Nullable ByType byType = component.getAnnotation(ByType.class);
        if (byType == null) {
            throw new IllegalStateException(place() + " has no @ByType");
        }
        return byType.family();
    }

    private IllegalStateException unsupported(Type type) {
        return new IllegalStateException(place() + " is a " + type.getTypeName() + ", which no setting can be");
    }

    private String place() {
        return component.getDeclaringRecord().getName() + "." + component.getName();
    }
}
