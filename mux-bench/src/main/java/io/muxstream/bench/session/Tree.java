package io.muxstream.bench.session;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The folder that a host shows, and nothing outside of it: files are named by {@link PathName}, and no symbolic link is followed, be it the
 * last part of a path or one on the way. Blocks on the disk: not for event loops. Usable from any thread.
 */
class Tree {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Path root;
    private final PathName names;

    /**
     * A folder's tree.
     *
     * @throws IOException where there is no such folder
     */
    Tree(Path folder) throws IOException {
        Path real = folder.toRealPath();
        if (!Files.isDirectory(real)) {
            throw new NotDirectoryException(folder.toString());
        }
        this.root = real;
        this.names = new PathName(real);
    }

    /** Throws {@link IllegalArgumentException} where a name leads out of the folder. Looks at no disk. */
    void check(String name) {
        var unused = names.toPath(name);
    }

    /** Tells of each entry, folders before what is in them; one that can't be looked at is told as unreadable. */
    void walk(Consumer<TreeEntry> consumer) throws IOException {
        Files.walkFileTree(root, new Walker(consumer));
    }

    /**
     * Opens a file.
     *
     * @throws IllegalArgumentException where the name leads out of the folder
     * @throws NoSuchFileException where it is gone
     * @throws IOException where it can't be read, or is no regular file
     */
    OpenFile open(String name) throws IOException {
        Path path = names.toPath(name);
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
            return stream instanceof SecureDirectoryStream<Path> folder ? openBelow(folder, path) : openChecked(path);
        }
    }

    /** How a file is now. Throws as {@link #open} does. */
    FileStamp stamp(String name) throws IOException {
        return stamp(Files.readAttributes(
                root.resolve(names.toPath(name)), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    }

    /** From folder to folder by what is open, so that no link put there meanwhile can lead out. */
    private static OpenFile openBelow(SecureDirectoryStream<Path> root, Path path) throws IOException {
        SecureDirectoryStream<Path> folder = root;
        try {
            for (int i = 0; i < path.getNameCount() - 1; i++) {
                SecureDirectoryStream<Path> next =
                        folder.newDirectoryStream(path.getName(i), LinkOption.NOFOLLOW_LINKS);
                folder.close();
                folder = next;
            }
            Path last = path.getFileName();
            BasicFileAttributes attributes = folder.getFileAttributeView(
                            last, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            return new OpenFile(requireFile(path, attributes), folder.newByteChannel(last, READ));
        } finally {
            folder.close();
        }
    }

    /** Where the system can't do that: by the real path of the folder that it is in. */
    private OpenFile openChecked(Path path) throws IOException {
        Path file = root.resolve(path);
        Path folder = file.getParent();
        if (folder == null || !folder.toRealPath().equals(folder)) {
            throw new NotRegularException(path + ": a symbolic link is on the way");
        }
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new OpenFile(requireFile(path, attributes), Files.newByteChannel(file, READ));
    }

    private static FileStamp requireFile(Path path, BasicFileAttributes attributes) throws IOException {
        if (!attributes.isRegularFile()) {
            throw new NotRegularException(path + ": expected a regular file");
        }
        return stamp(attributes);
    }

    private static FileStamp stamp(BasicFileAttributes attributes) {
        return new FileStamp(attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS));
    }

    /** A file that is open, and how it was just before. */
    record OpenFile(FileStamp stamp, SeekableByteChannel bytes) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            bytes.close();
        }
    }

    /** There is something of that name, but no file. */
    static final class NotRegularException extends IOException {
        private static final long serialVersionUID = 1;

        NotRegularException(String message) {
            super(message);
        }
    }

    private final class Walker extends SimpleFileVisitor<Path> {
        private final Consumer<TreeEntry> consumer;

        Walker(Consumer<TreeEntry> consumer) {
            this.consumer = consumer;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (!folder.equals(root)) {
                tell(TreeEntry.Kind.FOLDER, folder, attributes);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            TreeEntry.Kind kind = attributes.isRegularFile()
                    ? TreeEntry.Kind.FILE
                    : attributes.isSymbolicLink() ? TreeEntry.Kind.LINK : TreeEntry.Kind.OTHER;
            tell(kind, file, attributes);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (file.equals(root)) {
                throw e;
            }
            if (!(e instanceof NoSuchFileException) && !(e instanceof FileSystemLoopException)) {
                consumer.accept(new TreeEntry(TreeEntry.Kind.UNREADABLE, names.of(file), FileStamp.NONE));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
        }

        private void tell(TreeEntry.Kind kind, Path path, BasicFileAttributes attributes) {
            consumer.accept(new TreeEntry(kind, names.of(path), stamp(attributes)));
        }
    }
}
